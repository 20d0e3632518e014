import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { getAccountId } from '../http/account-id.js';
import { InvalidRequest } from '../http/errors/invalid-request.js';

/** Printable ASCII; Node has already trimmed it. */
const KEY_FORMAT = /^[ -~]{1,255}$/;
const MALFORMED = 'Idempotency-Key must be 1 to 255 printable ASCII characters';

export interface IdempotentRequest {
  /** A digest of account, method, path and key; the key itself is not stored. */
  readonly scope: string;
  readonly accountId: string;
  /** A different fingerprint under the same key means a different request. */
  readonly fingerprint: string;
}

/**
 * @returns null when the request has no Idempotency-Key
 * @throws InvalidRequest when its key is malformed
 */
export function parseIdempotentRequest(request: FastifyRequest): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY_FORMAT.test(key))
    throw InvalidRequest.of([{ pointer: '#header/Idempotency-Key', code: 'malformed', message: MALFORMED }]);
  const accountId = getAccountId(request);
  if (accountId === undefined) throw new Error('a route without authentication uses Idempotency-Key');
  const [path = '', query = ''] = request.url.split('?', 2);
  const scope = digest(accountId, request.method, path.replace(/\/+$/, ''), key);
  return { scope, accountId, fingerprint: digest(query, ...bodyParts(request)) };
}

/** An upload by its bytes and media type, JSON by its content. */
function bodyParts({ body, headers }: FastifyRequest): readonly (string | Buffer)[] {
  return Buffer.isBuffer(body) ? [headers['content-type'] ?? '', body] : [JSON.stringify(body ?? null)];
}

/** Length-prefixed, so that different lists of parts never give the same input. */
function digest(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
