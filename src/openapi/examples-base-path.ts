import type { OpenAPIObject } from '@nestjs/swagger';

/** Members of problem documents that are paths. */
const PATH_MEMBERS = new Set(['type', 'instance']);

/** Shows in examples of problems the paths that this service sends when it has a base path. */
export function withBasePath(document: OpenAPIObject, basePath: string): OpenAPIObject {
  if (basePath === '') return document;
  const withPath = (name: string, value: unknown): unknown =>
    PATH_MEMBERS.has(name) && typeof value === 'string' && value.startsWith('/') ? basePath + value : value;
  return JSON.parse(JSON.stringify(document), withPath) as OpenAPIObject;
}
