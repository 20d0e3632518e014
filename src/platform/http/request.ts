import type { FastifyRequest, FastifyReply } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { v7 } from 'uuid';

interface KnownCaller {
  readonly account: { readonly id: string } | null;
  readonly by: { readonly id?: string; readonly authenticator?: string; readonly subject?: string };
}

/**
 * Returns the authenticated caller. Authentication sets `holder` on routes with `aboutSession`, and `caller` on other
 * routes that are not public.
 */
function getCaller(request: FastifyRequest): KnownCaller | null | undefined {
  const { caller, holder } = request as { caller?: KnownCaller | null; holder?: KnownCaller | null };
  return caller ?? holder;
}

/** Returns the id of the caller's API key. Without an API key, returns `<authenticator>:<subject>`. */
export function getCallerName(request: FastifyRequest): string | undefined {
  const by = getCaller(request)?.by;
  return by && (by.id ?? `${by.authenticator}:${by.subject}`);
}

export function getAccountId(request: FastifyRequest): string | undefined {
  return getCaller(request)?.account?.id;
}

/** True if the response is sent, or the client has disconnected. */
export function isClosed({ raw }: FastifyReply): boolean {
  return raw.closed || raw.destroyed;
}

const MAX_CLIENT_ID_LENGTH = 100;

/** Clients could send one id with several requests, so the service makes its own. */
export function newRequestId(): string {
  return v7({});
}

/** Returns the request id that the client or a proxy sent. The id may be forged or repeated. */
export function getClientRequestId(headers: IncomingHttpHeaders): string | null {
  return toShownHeader([headers['x-request-id']].flat()[0], MAX_CLIENT_ID_LENGTH);
}

/** Makes a header safe to show: shortens it, and replaces characters that are not printable ASCII. */
export function toShownHeader(sent: string | undefined, maxLength: number): string | null {
  const shown = sent
    ?.slice(0, maxLength)
    .replace(/[^ -~]/g, '?')
    .trim();
  return shown ? shown : null;
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * The path before `/v1` in public URLs, such as `/names`, or empty. A proxy removes this path before the request
     * arrives.
     */
    readonly basePath: string;
  }
}

/** Turns `/v1/keys/1` into the path that clients know, such as `/names/v1/keys/1`. */
export function toPublicPath({ server }: FastifyRequest | FastifyReply, path: string): string {
  return server.basePath + path;
}

/** Returns the full URL of a path, or the path alone if no public URL is configured. */
export function toPublicUrl(
  { publicUrl }: { readonly publicUrl: string | null },
  reply: FastifyReply,
  path: string,
): string {
  return publicUrl === null ? toPublicPath(reply, path) : publicUrl.replace(/\/+$/, '') + path;
}

/** The media type of streams with one JSON value per line. */
export const NDJSON = 'application/x-ndjson';

/** Checks whether `Accept` names this media type. A wildcard does not count. */
export function accepts({ headers }: FastifyRequest, mediaType: string): boolean {
  const ranges = (headers.accept ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return type === mediaType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
