import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../kernel/domain-error.js';

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

  /** Call before the routes are registered. */
  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ url, method }) => {
      for (const one of [method].flat()) this.routes.push({ pattern: patternOf(url), method: one.toUpperCase() });
    });
  }

  /** Why nothing answers this request. */
  refusalFor(method: string, path: string): DomainError {
    const allowed = this.routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method);
    return allowed.length > 0 ? new MethodNotAllowed(method, [...new Set(allowed)].sort()) : new RouteNotFound();
  }
}

/** `/v1/watchlist/:id` as an expression; a wildcard takes the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
