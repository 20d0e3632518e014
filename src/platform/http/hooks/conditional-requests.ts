import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';

declare module 'fastify' {
  interface FastifyReply {
    /** Stands for what a caller may change of what is shown; see computeEtagVersion. Empty where nothing can be. */
    etagVersion: string;
  }
}

/** A check's freshness is its `Age`, and what comes line by line has no end to look at first. */
const ROUTES_WITHOUT_ETAG = new Set(['/v1/domains/check', '/v1/events/stream', '/v1/watchlist/export']);
/** About keys, or with targets that may hold a secret: no cache may keep them. */
const NO_STORE_ROUTES = new Set(['/v1/keys', '/v1/me', '/v1/notifications', '/v1/notifications/:id']);
const VERSION_LENGTH = 11;

/**
 * An `ETag` on what is read under `/v1`, and 304 for whoever has it already (RFC 9110, section 13). A tag is
 * `"<edition>.<digest of the body>"`; without an edition it is the digest alone.
 */
export function addEtags(fastify: FastifyInstance): void {
  fastify.decorateReply('etagVersion', '');
  fastify.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().some((method) => method === 'GET' || method === 'PATCH');
    if (!isRead || !hasEtag(route.url)) return;
    route.onSend = [setEtag, route.onSend ?? []].flat();
  });
}

/** @param path of a route */
export function hasEtag(path: string): boolean {
  return path.startsWith('/v1/') && !ROUTES_WITHOUT_ETAG.has(path);
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

/** Weak comparison (RFC 9110, section 13.1.2). */
function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === '*' || parseEtags(header).some((one) => one.replace(/^W\//, '') === etag);
}

/** A digest of what a caller may change: equal for equal values. */
export function computeEtagVersion(changeable: object): string {
  return hash('sha256', JSON.stringify(changeable), 'base64url').slice(0, VERSION_LENGTH);
}

/**
 * Whether `If-Match` allows a change of this edition. What looks and deliveries alter meanwhile is in the second half
 * of a tag, and no reason to refuse: only a change of what may be changed is. Weak tags never match (section 13.1.1).
 */
export function matchesIfMatch({ headers }: FastifyRequest, etagVersion: string): boolean {
  const ifMatch = headers['if-match'];
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return parseEtags(ifMatch).some((one) => one.startsWith(`"${etagVersion}.`));
}

function parseEtags(header: string): string[] {
  return header.match(/(W\/)?"[^"]*"/g) ?? [];
}

/** For the documentation of changes. */
export const IF_MATCH = {
  name: 'If-Match',
  required: false,
  schema: { type: 'string' },
  description:
    'An `ETag` that was read: the change is refused if somebody else changed it since. ' +
    'What looks and deliveries alter by themselves is no reason to refuse. Without it the change is made.',
} as const;
