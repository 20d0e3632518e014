import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../../platform/http/public.js';
import type { Authenticate } from '../application/authenticate.js';
import { InsufficientScope } from '../domain/auth.errors.js';
import { grants, isScope } from '../domain/scope.js';

/**
 * Asks every request for a key before its body is read, so that 401 and 403 come before 413, 415 and 400. A route
 * that names neither a scope nor that it is public is a mistake of ours, and refused to everybody.
 */
export function authenticateRequests(fastify: FastifyInstance, authenticate: Authenticate): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', async (request) => {
    if (request.is404) return; // an unknown path is 404 for everybody
    const { url = '', config } = request.routeOptions;
    const access = config as RouteAccess;
    if (access.public === true) return;
    request.caller = await authenticate.caller(request.headers.authorization);
    const { scope } = access;
    if (scope === undefined || !isScope(scope)) throw new Error(`${url} names no scope`);
    if (!grants(request.caller.scopes, scope)) throw new InsufficientScope(scope);
  });
}
