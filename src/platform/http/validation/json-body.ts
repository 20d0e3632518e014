import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';
import { InvalidRequest } from '../errors/invalid-request.js';
import { DEPTH_LIMIT, isTooDeep } from './json-depth.js';
import type { RouteAccess } from '../route-access.js';
import { rejectUnstorableJson } from './storable-text.js';

export const BODY_LIMIT = 256 * 1024;
const JSON_TYPE = 'application/json';
/** The media type of a merge patch (RFC 7396). PATCH accepts this type beside plain JSON. */
export const MERGE_PATCH = 'application/merge-patch+json';
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

class UnsupportedMediaType extends DomainError {
  constructor(mediaType: string, accepted: readonly string[]) {
    const known = accepted.join(' or ');
    super('unsupported_media_type', `The body is read as ${known}, not as ${mediaType || 'an unknown type'}.`);
  }
}

class UnsupportedEncoding extends DomainError {
  constructor(encoding: string) {
    // The response names the accepted encodings (RFC 9110, section 15.5.16).
    super('unsupported_media_type', `Bodies must not be encoded; this one is ${encoding}.`, {
      accept_encoding: 'identity',
    });
  }
}

/**
 * Stands for a body that cannot be parsed. Validation throws `reason` later, after guards have checked the caller's
 * scope.
 */
export class UnreadableBody {
  constructor(readonly reason: InvalidRequest) {}
}

/**
 * Accepts only JSON, except on upload routes. Bodies of other types are read before their refusal, so that large bodies
 * get status 413.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addHook('onRoute', (route) => {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- untyped without the assertion
    const limit = (route.config as RouteAccess | undefined)?.upload?.maxBytes;
    if (limit !== undefined) route.bodyLimit = limit;
  });
  const addParser = (type: string, takes: (request: FastifyRequest) => boolean, read: (body: Buffer) => unknown) =>
    fastify.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, body, done) => {
      if (ignoresBody(request, body)) return done(null, undefined);
      const error = takes(request) ? encodingError(request) : unsupportedType(request);
      if (error) return done(error);
      done(null, read(body));
    });
  addParser(JSON_TYPE, (request) => uploadTypes(request) === undefined, parseBody);
  addParser(MERGE_PATCH, ({ method }) => method === 'PATCH', parseBody);
  addParser(
    '*',
    (request) => uploadTypes(request)?.includes(getMediaType(request)) === true,
    (body) => body,
  );
}

/** Returns the media type in lower case, without parameters. */
export function getMediaType({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function acceptedTypes(request: FastifyRequest): readonly string[] {
  return uploadTypes(request) ?? (request.method === 'PATCH' ? [MERGE_PATCH, JSON_TYPE] : [JSON_TYPE]);
}

function uploadTypes({ routeOptions }: FastifyRequest): readonly string[] | undefined {
  return (routeOptions.config as RouteAccess).upload?.mediaTypes;
}

function unsupportedType(request: FastifyRequest): UnsupportedMediaType {
  return new UnsupportedMediaType(request.headers['content-type'] ?? '', acceptedTypes(request));
}

function ignoresBody({ routeOptions }: FastifyRequest, body: Buffer): boolean {
  return body.length === 0 || (routeOptions.config as RouteAccess).ignoresBody === true;
}

/** Returns an error if the charset is not UTF-8 (RFC 8259, section 8.1), or the body is compressed. */
function encodingError(request: FastifyRequest): DomainError | undefined {
  const type = request.headers['content-type'] ?? '';
  const charsets = [...type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)].map(([, name = '']) => name);
  if (!charsets.every((name) => /^utf-?8$/i.test(name))) return unsupportedType(request);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  return encoding.toLowerCase() === 'identity' ? undefined : new UnsupportedEncoding(encoding);
}

function parseBody(body: Buffer): unknown {
  try {
    const text = read(() => UTF_8.decode(body), 'The body is not valid UTF-8.');
    if (isTooDeep(text)) throw InvalidRequest.malformed(`The body is nested deeper than ${DEPTH_LIMIT} levels.`);
    const value = read(() => JSON.parse(text) as unknown, 'The body is not valid JSON.');
    rejectUnstorableJson(text, value);
    return value;
  } catch (error) {
    if (error instanceof InvalidRequest) return new UnreadableBody(error);
    throw error;
  }
}

/** @throws InvalidRequest with this message if `parse` throws */
function read<Value>(parse: () => Value, message: string): Value {
  try {
    return parse();
  } catch {
    throw InvalidRequest.malformed(message);
  }
}
