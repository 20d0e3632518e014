import type { FastifyInstance } from 'fastify';
import { InvalidRequest, type FieldProblem, pointerTo } from '../errors/invalid-request.js';
import type { RouteAccess } from '../route-access.js';

const REASON = 'contains NUL or half of a surrogate pair, which are no characters of a text';

/** Limits what is named of a body that is full of them. */
const MAX_NAMED = 20;

/** A JSON text can only have one as an escape: neither is allowed in it unescaped. */
const ESCAPED = /\\u(?:0000|d[89a-f])/i;

/** PostgreSQL stores any other text, but fails a statement with one of these. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * @param value of JSON, or the fields of a query
 * @param pointer to it
 * @throws InvalidRequest that names each text, or each field whose name cannot be stored
 */
export function rejectUnstorable(value: unknown, pointer: '' | '#query'): void {
  const found = unstorableIn(value, pointer);
  if (found.length > 0) throw InvalidRequest.of(found.slice(0, MAX_NAMED));
}

/** The same for the value of a JSON text; most have no such escape and are not looked through. */
export function rejectUnstorableJson(text: string, value: unknown): void {
  if (ESCAPED.test(text)) rejectUnstorable(value, '');
}

/**
 * Refuses a query whose percent-encoding is not that of UTF-8: it would be read as the text that it is written with.
 * Public routes take no notice of parameters that others add.
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
