import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../kernel/domain-error.js';

interface Route {
  readonly pattern: RegExp;
  readonly method: string;
}

export class MethodNotAllowed extends DomainError {
  constructor(method: string, allowed: readonly string[]) {
    super('method_not_allowed', `${method} is not allowed here.`, { allow: allowed.join(', ') });
  }
}

export class RouteNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is nothing at this path.');
  }
}

/** Fastify answers a wrong method like a wrong path; this remembers which methods each path has. */
export class RouteTable {
  private readonly routes: Route[] = [];
  /** Methods of the paths without parameters. */
  private readonly methodsByPath = new Map<string, Set<string>>();

  /** Call before the routes are registered. */
  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      for (const one of [method].flat()) this.add(url, one.toUpperCase());
    });
  }

  /**
   * `/v1/watchlist/import` has no DELETE, so that the router takes `import` for an id of `/v1/watchlist/:id`.
   * @param matched the route that the router chose
   * @throws MethodNotAllowed when the path is one of its own that lacks this method
   */
  rejectShadowedPath(method: string, path: string, matched: string): void {
    if (!matched.includes(':')) return;
    const allowed = this.methodsByPath.get(path.replace(/\/$/, ''));
    if (allowed && !allowed.has(method)) throw new MethodNotAllowed(method, [...allowed].sort());
  }

  /** Why nothing answers this request. */
  errorFor(method: string, path: string): DomainError {
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
    return allowed.length > 0 ? new MethodNotAllowed(method, [...new Set(allowed)].sort()) : new RouteNotFound();
  }

  private add(url: string, method: string): void {
    this.routes.push({ pattern: toPattern(url), method });
    if (!/[:*]/.test(url)) this.methodsByPath.set(url, (this.methodsByPath.get(url) ?? new Set()).add(method));
  }
}

/** `/v1/watchlist/:id` as an expression; a wildcard takes the rest. */
function toPattern(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
