import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest } from './invalid-request.js';

export const BODY_LIMIT = 256 * 1024;
/** Deeper nesting serves no body of ours, and recursion over it could exhaust the stack. */
const DEPTH_LIMIT = 20;

export class UnsupportedMediaType extends DomainError {
  constructor(mediaType: string) {
    super('unsupported_media_type', `Bodies are read as application/json, not as ${mediaType || 'an unknown type'}.`);
  }
}

/**
 * JSON bodies only. The catch-all parser reads other types too, so that a body that is too large is told before its
 * type is (413 before 415).
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : parse(body));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(new UnsupportedMediaType(request.headers['content-type'] ?? ''));
  });
}

function parse(text: string): unknown {
  if (depthOf(text) > DEPTH_LIMIT)
    throw InvalidRequest.malformed(`The body is nested deeper than ${DEPTH_LIMIT} levels.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw InvalidRequest.malformed('The body is not valid JSON.');
  }
}

/** How deep brackets nest outside of strings, without building anything. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
