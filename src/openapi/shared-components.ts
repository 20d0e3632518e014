import type { OpenAPIObject } from '@nestjs/swagger';
import { type Operation, operationsOf } from './operations.js';
import { PROBLEM_TYPE } from '../platform/http/errors/api-problems.js';

type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** Refusals with more codes are not shared, because a name of so many codes would be too long to read. */
const MAX_CODES_IN_NAME = 3;

/** Moves refusals that several operations share into `components.responses`. */
export function withSharedErrorResponses(made: OpenAPIObject): OpenAPIObject {
  // A copy, because the decorators use the objects of `made` again for the next document.
  const document = structuredClone(made);
  const responses: NonNullable<OpenAPIObject['components']>['responses'] = { ...made.components?.responses };
  const shared = findSharedResponses(document);
  for (const operation of operationsOf(document))
    for (const [status, response] of Object.entries(operation.responses)) {
      const name = isErrorResponse(response) ? toResponseName(response) : null;
      if (name === null || !shared.has(JSON.stringify(response))) continue;
      responses[name] = response as Response;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  return { ...document, components: { ...document.components, responses } };
}

function findSharedResponses(document: OpenAPIObject): ReadonlySet<string> {
  const all = operationsOf(document).flatMap(({ responses }) => Object.values(responses).filter(isErrorResponse));
  const alike = Map.groupBy(all, (response) => JSON.stringify(response));
  return new Set([...alike].filter(([, { length }]) => length > 1).map(([text]) => text));
}

function isErrorResponse(response: unknown): response is Response {
  return (response as Response).content?.[PROBLEM_TYPE] !== undefined;
}

/** Returns a name such as `AuthenticationRequiredOrInvalidToken`. */
function toResponseName({ description }: Response): string | null {
  const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
  if (codes.length > MAX_CODES_IN_NAME) return null;
  const words = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return codes.map(words).join('Or');
}

type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/** Moves parameters that several operations share, except path parameters, into `components.parameters`. */
export function withSharedParameters(document: OpenAPIObject): OpenAPIObject {
  const operations = operationsOf(document);
  const shared = findSharedParameters(operations);
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map((parameter) => {
      const name = isShareable(parameter) ? toParameterName(parameter) : '';
      const isShared = JSON.stringify(shared[name]) === JSON.stringify(parameter);
      return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  const parameters = { ...document.components?.parameters, ...shared };
  return { ...document, components: { ...document.components, parameters } };
}

/** Finds shared parameters by name. If different parameters have the same name, only the most frequent is shared. */
function findSharedParameters(operations: readonly Operation[]): Readonly<Record<string, Parameter>> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.filter(isShareable));
  const alike = [...Map.groupBy(all, (parameter) => JSON.stringify(parameter)).values()];
  const repeated = alike.filter(({ length }) => length > 1).sort((one, other) => one.length - other.length);
  return Object.fromEntries(repeated.flatMap(([one]) => (one ? [[toParameterName(one), one] as const] : [])));
}

function isShareable(parameter: object): parameter is Parameter {
  return 'in' in parameter && parameter.in !== 'path';
}

/** Turns `Idempotency-Key` into `IdempotencyKey`, and `per_page` into `PerPage`. */
function toParameterName({ name }: Parameter): string {
  return name.replace(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const SCHEMAS = '#/components/schemas/';

/**
 * Sorts schemas, and removes `View` from names such as `CheckView`.
 * @throws Error if two schemas would get the same name
 */
export function withSchemaNames(document: OpenAPIObject): OpenAPIObject {
  const classes = Object.keys(document.components?.schemas ?? {});
  const names = new Map(classes.map((name) => [name, name.replace(/View$/, '')]));
  if (new Set(names.values()).size < names.size) throw new Error(`two schemas share a name: ${classes.join(', ')}`);
  const renamed = renameReferences(document, names);
  const schemas = Object.entries(renamed.components?.schemas ?? {}).map(
    ([name, schema]) => [names.get(name) ?? name, schema] as const,
  );
  const sorted = schemas.sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(sorted) } };
}

/** Renames references to schemas wherever they are: in `$ref` and in the mappings of discriminators. */
function renameReferences(document: OpenAPIObject, names: ReadonlyMap<string, string>): OpenAPIObject {
  const renamed = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(SCHEMAS)) return value;
    const name = value.slice(SCHEMAS.length);
    return SCHEMAS + (names.get(name) ?? name);
  };
  return JSON.parse(JSON.stringify(document), renamed) as OpenAPIObject;
}
