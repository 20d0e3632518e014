import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';
import { SECURITY_HEADERS } from './security-headers.js';

interface Route {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

class MethodNotAllowed extends DomainError {
  constructor(method: string, allowed: ReadonlySet<string>) {
    super('method_not_allowed', `${method} is not allowed here.`, { allow: [...allowed].sort().join(', ') });
  }
}

export class RouteNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is nothing at this path.');
  }
}

/** Adds the common response headers, and rejects unknown paths and methods. */
export function rejectUnknownRoutes(fastify: FastifyInstance): void {
  const routes = new RouteTable(fastify);
  // oxlint-disable-next-line typescript/require-await -- what an async hook throws becomes the answer
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store').headers(SECURITY_HEADERS);
    const path = request.url.split('?', 1)[0] ?? '/';
    if (request.is404) throw routes.errorFor(request.method, path);
    routes.rejectShadowedPath(request.method, path, request.routeOptions.url ?? path);
  });
}

/** Knows the methods of each path, because Fastify reports a wrong method as a wrong path. */
class RouteTable {
  /** The keys are paths as registered, such as `/v1/watchlist/:id`. */
  private readonly routes = new Map<string, Route>();

  /** Must be created before the routes are registered. */
  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      for (const one of [method].flat()) this.add(url, one.toUpperCase());
    });
  }

  /**
   * Refuses a method that the literal path lacks. The router would take `DELETE /v1/watchlist/import` for
   * `/v1/watchlist/:id` with the id `import`.
   * @param matched the route that the router chose
   * @throws MethodNotAllowed if another route has this path, but not this method
   */
  rejectShadowedPath(method: string, path: string, matched: string): void {
    if (!matched.includes(':')) return;
    const own = this.routes.get(path.replace(/\/$/, ''));
    if (own && !own.methods.has(method)) throw new MethodNotAllowed(method, own.methods);
  }

  errorFor(method: string, path: string): DomainError {
    const reached = [...this.routes.values()].filter(({ pattern }) => pattern.test(path));
    const allowed = new Set(reached.flatMap(({ methods }) => [...methods]));
    return allowed.size > 0 ? new MethodNotAllowed(method, allowed) : new RouteNotFound();
  }

  private add(url: string, method: string): void {
    const route = this.routes.get(url) ?? { pattern: toPattern(url), methods: new Set() };
    this.routes.set(url, route);
    route.methods.add(method);
  }
}

/** Converts a path such as `/v1/watchlist/:id` into a regular expression. `*` matches the rest. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
