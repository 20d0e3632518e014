import type { OpenAPIObject } from '@nestjs/swagger';
import { MERGE_PATCH } from '../platform/http/validation/json-body.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & { readonly 'x-required-scope'?: string };
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;
const REFERENCE = '#/components/schemas/';

/** Adds what decorators cannot know: which scope a route asks for, and which schemas are bodies. */
export function completeOperations(document: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(document.paths).map(([path, found]) => {
    const operations = METHODS.flatMap((method) => {
      const operation = found[method];
      return operation ? [[method, completeOperation(method, operation)] as const] : [];
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  const schemas = closeBodySchemas(
    document.components?.schemas ?? {},
    findBodySchemas(paths.flatMap(([, all]) => Object.values(all))),
  );
  return { ...document, components: { ...document.components, schemas }, paths: Object.fromEntries(paths) };
}

function completeOperation(method: string, operation: Operation): Operation {
  const { description, security = [], ...rest } = method === 'patch' ? withMergePatch(operation) : operation;
  const fullDescription = [description, describeRequiredScope(operation)].filter(Boolean).join('\n\n');
  return { ...rest, description: fullDescription, security };
}

/** RFC 7396's own media type beside plain JSON. */
function withMergePatch(operation: Operation): Operation {
  const { requestBody } = operation;
  const json = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  if (!json || !requestBody || !('content' in requestBody)) return operation;
  const content = { ...requestBody.content, [MERGE_PATCH]: json };
  return { ...operation, requestBody: { ...requestBody, content } };
}

function describeRequiredScope({ security, 'x-required-scope': scope }: Operation): string {
  if (security === undefined) return 'Needs no key.';
  return scope === undefined ? 'Needs a key.' : `Needs a key with the scope \`${scope}\`.`;
}

/** A body with a field that is not known is refused, so the document allows none. */
function closeBodySchemas(schemas: Schemas, bodies: ReadonlySet<string>): Schemas {
  const entries = Object.entries(schemas).map(([name, schema]) =>
    bodies.has(name) ? [name, { ...schema, additionalProperties: false }] : [name, schema],
  );
  return Object.fromEntries(entries) as Schemas;
}

function findBodySchemas(operations: readonly Pick<Operation, 'requestBody'>[]): ReadonlySet<string> {
  const bodies = operations.flatMap(({ requestBody }) =>
    requestBody && 'content' in requestBody ? Object.values(requestBody.content) : [],
  );
  const forms = bodies.flatMap(({ schema }) => (schema && 'oneOf' in schema ? (schema.oneOf ?? []) : [schema]));
  const references = forms.flatMap((schema) => (schema && '$ref' in schema ? [schema.$ref] : []));
  return new Set(references.map((reference) => reference.replace(REFERENCE, '')));
}
