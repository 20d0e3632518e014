import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';

declare module 'fastify' {
  interface FastifyReply {
    /** Stands for what a caller may change of what is shown; see editionOf. Empty where nothing can be. */
    edition: string;
  }
}

/** A check's freshness is its `Age`, and what comes line by line has no end to look at first. */
const UNTAGGED = new Set(['/v1/domains/check', '/v1/events/stream', '/v1/watchlist/export']);
/** About keys, or with targets that may hold a secret: no cache may keep them. */
const UNSTORED = new Set(['/v1/keys', '/v1/me', '/v1/notifications', '/v1/notifications/:id']);
const EDITION_DIGITS = 11;

/**
 * An `ETag` on what is read under `/v1`, and 304 for whoever has it already (RFC 9110, section 13). A tag is
 * `"<edition>.<digest of the body>"`; without an edition it is the digest alone.
 */
export function tagReads(fastify: FastifyInstance): void {
  fastify.decorateReply('edition', '');
  fastify.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().some((method) => method === 'GET' || method === 'PATCH');
    if (!isRead || !isTagged(route.url)) return;
    route.onSend = [tag, route.onSend ?? []].flat();
  });
}

/** @param path of a route */
export function isTagged(path: string): boolean {
  return path.startsWith('/v1/') && !UNTAGGED.has(path);
}

type Done = (error?: Error | null, payload?: unknown) => void;

function tag(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload);
  const digest = hash('sha256', payload, 'base64url');
  const etag = reply.edition === '' ? `"${digest}"` : `"${reply.edition}.${digest}"`;
  const isStored = !UNSTORED.has(request.routeOptions.url ?? '');
  void reply.header('etag', etag).header('cache-control', isStored ? 'private, no-cache' : 'no-store');
  const known = request.headers['if-none-match'];
  if (known === undefined || request.method === 'PATCH' || !names(known, etag)) return done(null, payload);
  void reply.status(304).removeHeader('content-type');
  done(null, null);
}

/** Weak comparison (RFC 9110, section 13.1.2). */
function names(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsIn(header).some((one) => one.replace(/^W\//, '') === etag);
}

/** A digest of what a caller may change: equal for equal values. */
export function editionOf(changeable: object): string {
  return hash('sha256', JSON.stringify(changeable), 'base64url').slice(0, EDITION_DIGITS);
}

/**
 * Whether `If-Match` allows a change of this edition. What looks and deliveries alter meanwhile is in the second half
 * of a tag, and no reason to refuse: only a change of what may be changed is. Weak tags never match (section 13.1.1).
 */
export function allowsChange({ headers }: FastifyRequest, edition: string): boolean {
  const wanted = headers['if-match'];
  if (wanted === undefined || wanted.trim() === '*') return true;
  return tagsIn(wanted).some((one) => one.startsWith(`"${edition}.`));
}

function tagsIn(header: string): string[] {
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
