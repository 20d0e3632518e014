import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { runInRequest } from '../../platform/concurrency/request-context.js';
import type { Authenticator } from '../application/authenticator.js';
import { AuthenticationRequired, InsufficientScope, InvalidToken } from '../domain/auth.errors.js';
import { grants, isScope, type Scope } from '../domain/scope.js';
import { recordAuthFailure, limitRequests, type RateLimiters } from './rate-limits.js';

/**
 * Asks every request for a key before its body is read, so that 401, 403 and 429 come before 413, 415 and 400. A route
 * that names neither a scope nor that it is public is a mistake of ours, and refused to everybody.
 * @param limits what is counted; null in a process that serves no route with a key
 */
export function registerAuthentication(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  limits: RateLimiters | null,
): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request, reply) => {
    if (request.is404) return; // an unknown path is 404 for everybody
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
  // A body may take half a minute: a key that was revoked meanwhile must not act with its last byte.
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
