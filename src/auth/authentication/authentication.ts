import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { runInRequest } from '../../platform/concurrency/request-context.js';
import { Authenticator } from './authenticator.js';
import type { Caller } from '../caller/caller.js';
import {
  AccountSuspended,
  AuthenticationRequired,
  InsufficientScope,
  InvalidToken,
  KnownKeyRefused,
  type RefusedAttempt,
} from '../domain/auth.errors.js';
import { grants, type Scope, ScopeCatalogue } from '../domain/scope.js';
import { recordAuthFailure, limitRequests, type RateLimiters } from './rate-limits.js';

/**
 * Authenticates before the body is read, so that 401, 403 and 429 come before 413, 415 and 400. A route that is neither
 * public nor names a scope is refused to everyone.
 */
@Injectable()
export class RequestAuthentication {
  private limiters: RateLimiters | null = null;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly scopes: ScopeCatalogue,
  ) {}

  /** For processes that serve authenticated routes. */
  limitWith(limiters: RateLimiters): void {
    this.limiters = limiters;
  }

  install(fastify: FastifyInstance): void {
    fastify.decorateRequest('caller', null);
    fastify.addHook('onRequest', async (request, reply) => {
      if (request.is404) return; // unknown paths are 404 with or without a key
      const { url = '', config } = request.routeOptions;
      const access = config as RouteAccess;
      if (access.public === true) return;
      const caller = await this.authenticate(request, reply);
      this.requireScope(access, caller.scopes, url);
      const pending = this.limiters && this.limit(caller, reply, this.limiters);
      if (pending) await pending;
    });
    // Receiving a body may take half a minute; the key may have been revoked since.
    fastify.addHook('preHandler', async (request) => {
      const { caller: before, body } = request;
      if (before === null || body === undefined) return;
      const caller = await runInRequest(() => this.authenticator.authenticate(request.headers.authorization));
      if (caller.account.id !== before.account.id) throw new InvalidToken();
      const { url = '', config } = request.routeOptions;
      this.requireScope(config as RouteAccess, caller.scopes, url);
      request.caller = caller;
    });
  }

  private async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const { limiters } = this;
    const isLockedOut = limiters !== null && limiters.failures.lockedOutSeconds(request.ip) > 0;
    const lockedOutAddress = isLockedOut ? request.ip : null;
    try {
      const { authorization } = request.headers;
      return (request.caller = await runInRequest(() =>
        this.authenticator.authenticate(authorization, lockedOutAddress),
      ));
    } catch (error) {
      const attempt = toRefusedAttempt(error);
      if (attempt) limiters?.refused.add(attempt, request.ip);
      if (attempt) limiters?.refusals.count(attempt);
      if (limiters && isAuthFailure(error)) recordAuthFailure(limiters, request, reply);
      throw error;
    }
  }

  private requireScope({ anyScope, scope }: RouteAccess, held: readonly Scope[], url: string): void {
    if (anyScope === true) return;
    if (scope === undefined || !this.scopes.has(scope)) throw new Error(`${url} names no scope`);
    if (!grants(held, scope)) throw new InsufficientScope(scope);
  }

  private limit({ account }: Caller, reply: FastifyReply, limiters: RateLimiters): Promise<void> | undefined {
    return runInRequest(() => limitRequests(limiters, account, reply));
  }
}

function isAuthFailure(error: unknown): boolean {
  return error instanceof AuthenticationRequired || error instanceof InvalidToken;
}

/** null when no credential was sent, or none could be checked. */
function toRefusedAttempt(error: unknown): RefusedAttempt | null {
  if (error instanceof KnownKeyRefused || error instanceof AccountSuspended) return error.attempt;
  return error instanceof InvalidToken ? { reason: 'unknown', accountId: null, keyId: null } : null;
}
