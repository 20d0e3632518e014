import type { OpenAPIObject } from '@nestjs/swagger';
import type { BuiltInProblemCode } from '../kernel/problem-code.js';
import { BODY_REFUSALS, KEY_REFUSALS } from '../platform/http/errors/problem-catalogue.js';
import { KEY_HEADER } from '../platform/idempotency/idempotent.interceptor.js';
import { MERGE_PATCH } from '../platform/http/validation/json-body.js';
import { hasEtag } from '../platform/http/hooks/conditional-requests.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  readonly 'x-required-scope'?: string;
};
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;
const REFERENCE = '#/components/schemas/';

export function operationsOf({ paths }: OpenAPIObject): readonly Operation[] {
  return Object.values(paths).flatMap((path) => Object.values(path) as Operation[]);
}

export function placedOperationsOf({ paths }: OpenAPIObject) {
  return Object.entries(paths).flatMap(([path, found]) =>
    Object.entries(found).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
}

/** Returns the codes for a refused body, and for a refused `Idempotency-Key` if the operation takes this header. */
export function refusalsOf(method: string, path: string, operation: Operation): readonly BuiltInProblemCode[] {
  if (!path.startsWith('/v1/') || method === 'get' || method === 'head') return [];
  return takesIdempotencyKey(operation) ? [...BODY_REFUSALS, ...KEY_REFUSALS] : BODY_REFUSALS;
}

function takesIdempotencyKey({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => 'name' in parameter && parameter.name === KEY_HEADER.name);
}

/** Adds what no decorator declares, such as the required scope, and that request bodies take no unknown fields. */
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
  if (changesAccount(method, operation)) addCode(operation, '400', 'account_required');
  const { description, security = [], ...rest } = method === 'patch' ? withMergePatch(operation) : operation;
  const fullDescription = [description, describeRequiredScope(operation)].filter(Boolean).join('\n\n');
  return { ...rest, description: fullDescription, security };
}

/** Whether the operation changes something in an account. A person with several accounts must then name the account. */
function changesAccount(method: string, { 'x-required-scope': scope }: Operation): boolean {
  return !['get', 'head', 'options'].includes(method) && scope !== undefined && !scope.endsWith(':read');
}

function addCode(operation: Operation, status: string, code: BuiltInProblemCode): void {
  const response = operation.responses[status];
  if (response && 'description' in response) response.description += `, \`${code}\``;
}

/** Adds the media type of RFC 7396 beside plain JSON. */
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

/** Declares that a body must not have unknown fields, because the service rejects them. */
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

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example }) as const;

const HEADERS = {
  ETag: text(
    'Of what was read; for If-None-Match, and where it can be changed for If-Match.',
    '"Zm9vYmFyYmF6cXV4.x1c"',
  ),
  RateLimit: text('How many requests are left, and in how many seconds all are there again.', '"default";r=588;t=42'),
  'RateLimit-Policy': text('How many requests the plan grants in so many seconds.', '"default";q=600;w=60'),
  'Idempotency-Replayed': text('`true`: this is the answer to an earlier request with this key.', 'true'),
} as const;
type Header = keyof typeof HEADERS;

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'An `ETag` that was read before: 304 while nothing has changed.',
} as const;
const NOT_MODIFIED = 'Nothing has changed since it was read.';

/** Describes headers that hooks add to successful responses below /v1/. No decorator describes them. */
export function withCommonHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const [path, { get, post, patch, delete: remove }] of Object.entries(document.paths)) {
    if (!path.startsWith('/v1/')) continue;
    if (get && hasEtag(path)) describeETag(get);
    if (patch) addHeaders(patch, ['ETag']);
    if (post && takesIdempotencyKey(post)) addHeaders(post, ['Idempotency-Replayed']);
    for (const operation of [get, post, patch, remove])
      if (operation) addHeaders(operation, ['RateLimit', 'RateLimit-Policy']);
  }
  const headers = { ...document.components?.headers, ...HEADERS };
  return { ...document, components: { ...document.components, headers } };
}

function describeETag(operation: Operation): void {
  addHeaders(operation, ['ETag']);
  operation.parameters = [...(operation.parameters ?? []), { ...IF_NONE_MATCH }];
  operation.responses['304'] = { description: NOT_MODIFIED, headers: headerReferences(['ETag']) };
}

function addHeaders(operation: Operation, names: readonly Header[]): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!status.startsWith('2') || !response || '$ref' in response) continue;
    response.headers = { ...response.headers, ...headerReferences(names) };
  }
}

function headerReferences(names: readonly Header[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
