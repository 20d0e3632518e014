import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';
import { SECURITY_HEADERS } from './security-headers.js';

interface Route {
  readonly pattern: RegExp;
  readonly method: string;
}

class MethodNotAllowed extends DomainError {
  constructor(method: string, allowed: readonly string[]) {
    super('method_not_allowed', `${method} is not allowed here.`, { allow: allowed.join(', ') });
  }
}

export class RouteNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is nothing at this path.');
  }
}

/** Adds the headers of every response, and rejects unknown paths and methods. */
export function rejectUnknownRoutes(fastify: FastifyInstance): void {
  const routes = new RouteTable(fastify);
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store').headers(SECURITY_HEADERS);
    const path = request.url.split('?', 1)[0] ?? '/';
    if (request.is404) throw routes.errorFor(request.method, path);
    routes.rejectShadowedPath(request.method, path, request.routeOptions.url ?? path);
  });
}

/** Knows the methods of each path: Fastify answers a wrong method like a wrong path. */
class RouteTable {
  private readonly routes: Route[] = [];
  private readonly methodsByPath = new Map<string, Set<string>>();

  /** Must be created before the routes are registered. */
  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      for (const one of [method].flat()) this.add(url, one.toUpperCase());
    });
  }

  /**
   * Without a DELETE route for `/v1/watchlist/import`, the router would match `import` as an id of `/v1/watchlist/:id`.
   * @param matched the route that the router chose
   * @throws MethodNotAllowed when the path itself exists without this method
   */
  rejectShadowedPath(method: string, path: string, matched: string): void {
    if (!matched.includes(':')) return;
    const allowed = this.methodsByPath.get(path.replace(/\/$/, ''));
    if (allowed && !allowed.has(method)) throw new MethodNotAllowed(method, [...allowed].sort());
  }

  errorFor(method: string, path: string): DomainError {
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
    return allowed.length > 0 ? new MethodNotAllowed(method, [...new Set(allowed)].sort()) : new RouteNotFound();
  }

  private add(url: string, method: string): void {
    this.routes.push({ pattern: toPattern(url), method });
    if (!/[:*]/.test(url)) this.methodsByPath.set(url, (this.methodsByPath.get(url) ?? new Set()).add(method));
  }
}

/** `/v1/watchlist/:id` as a regular expression; `*` matches the rest. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
