import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { runInRequest } from '../../platform/concurrency/request-context.js';
import type { Authenticator } from '../application/authenticator.js';
import { AuthenticationRequired, InsufficientScope, InvalidToken } from '../domain/auth.errors.js';
import { grants, isScope, type Scope } from '../domain/scope.js';
import { recordAuthFailure, limitRequests, type RateLimiters } from './rate-limits.js';

/**
 * Authenticates before the body is read, so that 401, 403 and 429 come before 413, 415 and 400. A route that is neither
 * public nor names a scope is refused to everyone.
 * @param limits null in a process that serves no authenticated route
 */
export function registerAuthentication(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  limits: RateLimiters | null,
): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404) return; // unknown paths are 404 with or without a key
    const { url = '', config } = request.routeOptions;
    const access = config as RouteAccess;
    if (access.public === true) return;
    const isLockedOut = limits !== null && limits.failures.lockedOutSeconds(request.ip) > 0;
    try {
      const { authorization } = request.headers;
      request.caller = await runInRequest(() => authenticator.authenticate(authorization, isLockedOut));
    } catch (error) {
      if (limits && isAuthFailure(error)) recordAuthFailure(limits, request, reply);
      throw error;
    }
    requireScope(access, request.caller.scopes, url);
    const { account } = request.caller;
    const pending = limits && runInRequest(() => limitRequests(limits, account, reply));
    if (pending) await pending;
  });
  // Receiving a body may take half a minute; the key may have been revoked since.
  fastify.addHook('preHandler', async (request) => {
    if (request.caller === null || request.body === undefined) return;
    request.caller = await runInRequest(() => authenticator.authenticate(request.headers.authorization));
  });
}

function isAuthFailure(error: unknown): boolean {
  return error instanceof AuthenticationRequired || error instanceof InvalidToken;
}

function requireScope({ anyScope, scope }: RouteAccess, held: readonly Scope[], url: string): void {
  if (anyScope === true) return;
  if (scope === undefined || !isScope(scope)) throw new Error(`${url} names no scope`);
  if (!grants(held, scope)) throw new InsufficientScope(scope);
}
