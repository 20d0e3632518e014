import type { Answer } from './servers/test-service.js';

export { NDJSON } from '../../src/platform/http/request.js';

/** The values of an answer that has a line of JSON for each. */
export function jsonLinesOf({ body }: Pick<Answer, 'body'>): Record<string, unknown>[] {
  const lines = String(body['text']).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
