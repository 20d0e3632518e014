import type { FastifyInstance } from 'fastify';
import { InvalidRequest, type FieldProblem, pointerTo } from '../errors/invalid-request.js';
import type { RouteAccess } from '../route-access.js';

const REASON = 'contains NUL or half of a surrogate pair, which are no characters of a text';

/** Limits how many problems one error response lists. */
const MAX_NAMED = 20;

/** JSON can contain NUL or half a surrogate pair only as one of these escapes. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i;

/** False for a text with NUL or a lone surrogate, which PostgreSQL refuses. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** @throws InvalidRequest that names up to 20 fields whose name or text PostgreSQL would refuse */
export function rejectUnstorable(value: unknown, pointer: '' | '#query'): void {
  const found = unstorableIn(value, pointer);
  if (found.length > 0) throw InvalidRequest.of(found.slice(0, MAX_NAMED));
}

/** Rejects characters that PostgreSQL cannot store. Skips the search if `text` has no escape of such a character. */
export function rejectUnstorableJson(text: string, value: unknown): void {
  if (ESCAPED.test(text)) rejectUnstorable(value, '');
}

/**
 * Refuses invalid percent-encoding in queries. Accepts it on public routes, because other programs add parameters to
 * links.
 */
export function rejectMalformedQueries(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', ({ url, routeOptions, is404 }, _reply, done) => {
    const start = url.indexOf('?');
    const isPublic = is404 || (routeOptions.config as RouteAccess).public === true;
    if (isPublic || start < 0 || isDecodable(url.slice(start))) return done();
    done(InvalidRequest.malformed('The query is not the percent-encoding of UTF-8.'));
  });
}

function isDecodable(query: string): boolean {
  if (!query.includes('%')) return true;
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

function unstorableIn(value: unknown, pointer: string): FieldProblem[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [toProblem(pointer)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    isStorable(name) ? unstorableIn(one, pointerTo(pointer, name)) : [toProblem(pointer)],
  );
}

function toProblem(pointer: string): FieldProblem {
  const field = pointer.split('/').slice(1).join('.');
  return { pointer, code: 'malformed', message: `${field === '' ? 'the name of a field' : field} ${REASON}` };
}
