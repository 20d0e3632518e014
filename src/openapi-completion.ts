import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { readonly 'x-required-scope'?: string };
interface Example {
  readonly example?: string;
}
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;
const REFERENCE = '#/components/schemas/';

/** Adds what decorators cannot know: the path of their route, what it asks for, and which schemas are bodies. */
export function completed(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, found]) => {
    const operations = METHODS.flatMap((method) => {
      const operation = found[method];
      return operation ? [[method, told(path, operation)] as const] : [];
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  const schemas = closed(document.components?.schemas ?? {}, bodiesIn(paths.flatMap(([, all]) => Object.values(all))));
  return { ...document, components: { ...document.components, schemas }, paths: Object.fromEntries(paths) };
}

function told(path: string, operation: Operation): Operation {
  const { description, security = [], ...rest } = operation;
  const about = [description, needs(operation)].filter(Boolean).join('\n\n');
  return { ...withInstance(path, rest), description: about, security };
}

function needs({ security, 'x-required-scope': scope }: Operation): string {
  if (security === undefined) return 'Needs no key.';
  return scope === undefined ? 'Needs a key.' : `Needs a key with the scope \`${scope}\`.`;
}

/** The examples of problems name the path that was asked, with the examples of its parameters. */
function withInstance<Told extends Omit<Operation, 'security'>>(path: string, operation: Told): Told {
  const instance = path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(operation, name));
  const renamed = (name: string, value: unknown) =>
    name === 'instance' && typeof value === 'string' ? instance : value;
  return JSON.parse(JSON.stringify(operation), renamed) as Told;
}

function exampleOf({ parameters = [] }: Pick<Operation, 'parameters'>, wanted: string): string {
  const found = parameters.find((one) => 'name' in one && one.name === wanted) as Example & { schema?: Example };
  return found?.example ?? found?.schema?.example ?? '';
}

/** A body with a field that is not known is refused, so the document allows none. */
function closed(schemas: Schemas, bodies: ReadonlySet<string>): Schemas {
  const told = Object.entries(schemas).map(([name, schema]) =>
    bodies.has(name) ? [name, { ...schema, additionalProperties: false }] : [name, schema],
  );
  return Object.fromEntries(told) as Schemas;
}

function bodiesIn(operations: readonly Pick<Operation, 'requestBody'>[]): ReadonlySet<string> {
  const bodies = operations.flatMap(({ requestBody }) =>
    requestBody && 'content' in requestBody ? Object.values(requestBody.content) : [],
  );
  const references = bodies.flatMap(({ schema }) => (schema && '$ref' in schema ? [schema.$ref] : []));
  return new Set(references.map((reference) => reference.replace(REFERENCE, '')));
}
