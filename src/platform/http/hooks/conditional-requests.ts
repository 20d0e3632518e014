import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';

declare module 'fastify' {
  interface FastifyReply {
    /** A digest of the editable fields (see computeEtagVersion). Empty if no field is editable. */
    etagVersion: string;
  }
}

/** A domain check has the header `Age` instead. Streams and exports have no complete body to digest. */
const ROUTES_WITHOUT_ETAG = new Set(['/v1/domains/check', '/v1/events/stream', '/v1/watchlist/export']);
/** Clients must not store these responses, since they describe keys or contain notification targets with secrets. */
const NO_STORE_ROUTES = new Set(['/v1/keys', '/v1/me', '/v1/notifications', '/v1/notifications/:id']);
const VERSION_LENGTH = 11;

/**
 * Adds `ETag` headers (RFC 9110, section 13). If the resource has editable fields, the tag begins with their digest,
 * for `If-Match`.
 */
export function addEtags(fastify: FastifyInstance): void {
  fastify.decorateReply('etagVersion', '');
  fastify.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().some((method) => method === 'GET' || method === 'PATCH');
    if (!isRead || !hasEtag(route.url)) return;
    route.onSend = [setEtag, route.onSend ?? []].flat();
  });
}

export function hasEtag(path: string): boolean {
  return /^\/(v1|calendar|pages|ui)(\/|$)/.test(path) && !ROUTES_WITHOUT_ETAG.has(path);
}

type Done = (error?: Error | null, payload?: unknown) => void;

function setEtag(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
  const digest = hash('sha256', payload, 'base64url');
  const etag = reply.etagVersion === '' ? `"${digest}"` : `"${reply.etagVersion}.${digest}"`;
  const isStored = !NO_STORE_ROUTES.has(request.routeOptions.url ?? '');
  void reply.header('etag', etag).header('cache-control', isStored ? 'private, no-cache' : 'no-store');
  const known = request.headers['if-none-match'];
  if (known === undefined || request.method === 'PATCH' || !matchesEtag(known, etag)) return done(null, payload);
  void reply.status(304).removeHeader('content-type');
  done(null, null);
}

/**
 * Checks whether the header contains this ETag. Ignores a prefix `W/`, because the comparison is weak (RFC 9110,
 * section 13.1.2).
 */
function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || parseEtags(header).some((one) => one.replace(/^W\//, '') === etag);
}

export function computeEtagVersion(changeable: object): string {
  return hash('sha256', JSON.stringify(changeable), 'base64url').slice(0, VERSION_LENGTH);
}

/** Compares only the digest of the editable fields, because a lookup that updated other fields is no conflict. */
export function matchesIfMatch({ headers }: FastifyRequest, etagVersion: string): boolean {
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  // Weak ETags never match (RFC 9110, section 13.1.1).
  return parseEtags(ifMatch).some((one) => one.startsWith(`"${etagVersion}.`));
}

function parseEtags(header: string): string[] {
  return header.match(/(W\/)?"[^"]*"/g) ?? [];
}

export const IF_MATCH = {
  name: 'If-Match',
  required: false,
  schema: { type: 'string' },
  description:
    'An `ETag` from an earlier read: the change is refused if another client changed the resource since. ' +
    'Updates by lookups and deliveries do not count. Without this header the change is always made.',
} as const;
