import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Of every answer: it is what it says it is, no page may frame it, no browser runs or loads anything for it, and where
 * it was read is told to nobody. There is no CORS header, so no page of another origin can read it.
 */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** A page of ours that loads nothing and runs nothing, and whose forms come back to it. */
export function pageContentSecurityPolicy(style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Swagger UI has styles inside its page, and icons inside its styles. Everything else comes from here. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Lets a route be a page that runs its own scripts and calls this service. */
export function allowDocsScripts(route: RouteOptions): void {
  const allow = (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    void reply.header('content-security-policy', DOCS_POLICY);
    done();
  };
  route.onRequest = [route.onRequest ?? [], allow].flat();
}
