import type { OpenAPIObject } from '@nestjs/swagger';
import { hasEtag } from '../platform/http/hooks/conditional-requests.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example }) as const;

/** Headers that many answers have; each is described once. */
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

/** Adds to the document what hooks do for every route. */
export function withCommonHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const [path, { get, post, patch, delete: remove }] of Object.entries(document.paths)) {
    if (!path.startsWith('/v1/')) continue;
    if (get && hasEtag(path)) describeETag(get);
    if (patch) addHeaders(patch, ['ETag']);
    if (post) addHeaders(post, ['Idempotency-Replayed']);
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
