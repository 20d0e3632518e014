import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../../kernel/clock.js';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { runInRequest } from '../../platform/concurrency/request-context.js';
import { Authenticator } from './authenticator.js';
import { type Caller, nameCaller, type SessionHolder } from '../caller/caller.js';
import {
  AccountSuspended,
  AuthenticationRequired,
  InsufficientScope,
  InvalidToken,
  KnownKeyRefused,
  NotAMember,
  RateLimited,
  type RefusedAttempt,
} from '../domain/auth.errors.js';
import { grants, type Scope, ScopeCatalogue } from '../domain/scope.js';
import { AuthFailureLimiter, MAX_FAILURES_PER_MINUTE } from './auth-failure-limiter.js';
import { LastingAnswers } from './lasting-answers.js';
import { SessionAuthenticator } from './session-authenticator.js';
import { SAFE_METHODS, SessionCookie } from '../sessions/session-cookie.js';
import { RefusedAuthentications } from './refused-authentications.js';
import { MinuteLimits } from './minute-limits.js';

/** The header that names the account of a request, for people who have several accounts. */
const ACCOUNT_HEADER = 'x-namewatch-account';

/** Authenticates a request before its body is read. Refuses every request to a route without access rules. */
@Injectable()
export class RequestAuthentication {
  private readonly lasting = new LastingAnswers((request) => this.confirm(request));

  constructor(
    private readonly authenticator: Authenticator,
    private readonly scopes: ScopeCatalogue,
    private readonly cookie: SessionCookie,
    private readonly sessions: SessionAuthenticator,
    private readonly limits: MinuteLimits,
    private readonly failures: AuthFailureLimiter,
    private readonly refused: RefusedAuthentications,
  ) {}

  install(fastify: FastifyInstance): void {
    fastify.decorateRequest('caller', null);
    fastify.decorateRequest('holder', null);
    this.lasting.install(fastify);
    fastify.addHook('onRequest', async (request, reply) => {
      if (request.is404) return; // unknown paths are 404 with or without a key
      const { url = '', config } = request.routeOptions;
      const access = config as RouteAccess;
      if (access.public === true) return;
      if (access.aboutSession === true) {
        const holder = await this.authenticate(request, reply, (address) => this.identifyHolder(request, address));
        request.holder = holder;
        return this.limit(holder.account, reply);
      }
      const caller = await this.authenticate(request, reply, (address) => this.identify(request, address));
      request.caller = caller;
      this.requireScope(access, caller.scopes, url);
      await this.limit(caller.account, reply);
      this.lasting.add(request, reply);
    });
    // Checks again, because the key may be revoked while the body arrives, which may take half a minute.
    fastify.addHook('preHandler', async (request) => {
      if (request.caller !== null && request.body !== undefined) request.caller = await this.confirm(request);
    });
  }

  /**
   * Checks a request's authorization again.
   * @throws DomainError if the authorization has ended
   */
  private async confirm(request: FastifyRequest): Promise<Caller> {
    const { caller: before, routeOptions } = request;
    const now = await runInRequest(request, () => this.identify(request));
    if (before === null || nameCaller(now.by) !== nameCaller(before.by)) throw new InvalidToken();
    if (now.account.id !== before.account.id) throw new NotAMember();
    const access = routeOptions.config as RouteAccess;
    this.requireScope(access, now.scopes, routeOptions.url ?? '');
    // A route with `anyScope` shows what the caller's scopes allow, so the caller must still have all of them.
    const lost = access.anyScope === true && before.scopes.find((scope) => !grants(now.scopes, scope));
    if (lost) throw new InsufficientScope(lost);
    return now;
  }

  /**
   * Ignores the session cookie if the request has an `Authorization` header.
   * @throws DomainError if the credential is refused
   */
  private async identify(request: FastifyRequest, lockedOutAddress: string | null = null): Promise<Caller> {
    const { authorization, [ACCOUNT_HEADER]: named } = request.headers;
    const accountId = named === undefined ? null : String(named);
    const token = authorization === undefined ? this.cookie.read(request) : null;
    if (token !== null) {
      const about = { accountId, isChanged: isChange(request) };
      return this.sessions.authenticate(token, about, lockedOutAddress);
    }
    const caller = await this.authenticator.authenticate(authorization, lockedOutAddress);
    if (accountId !== null && accountId !== caller.account.id)
      throw new NotAMember('The credential is of another account than the header X-Namewatch-Account names.');
    return caller;
  }

  private async identifyHolder(request: FastifyRequest, lockedOutAddress: string | null): Promise<SessionHolder> {
    const { authorization } = request.headers;
    const token = authorization === undefined ? this.cookie.read(request) : null;
    if (token !== null) return this.sessions.identifyHolder(token, lockedOutAddress);
    return this.authenticator.authenticate(authorization, lockedOutAddress);
  }

  /** Runs `identify`. If it refuses the credential, counts and records the refusal. */
  private async authenticate<Found>(
    request: FastifyRequest,
    reply: FastifyReply,
    identify: (lockedOutAddress: string | null) => Promise<Found>,
  ): Promise<Found> {
    const lockedOutAddress = this.failures.lockedOutSeconds(request.ip) > 0 ? request.ip : null;
    try {
      return await identify(lockedOutAddress);
    } catch (error) {
      const attempt = toRefusedAttempt(error);
      if (attempt) this.refused.add(attempt, request.ip);
      if (isAuthFailure(error)) await this.recordAuthFailure(request, reply);
      throw error;
    }
  }

  /**
   * Called only for requests without a valid key, because a valid key must work even from a locked-out address.
   * @throws RateLimited during a lockout
   */
  private async recordAuthFailure({ ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const resetSeconds = this.failures.lockedOutSeconds(ip);
    if (resetSeconds === 0) return this.failures.recordFailure(ip);
    setRateLimitHeaders(reply, 'authentication', { limit: MAX_FAILURES_PER_MINUTE, remaining: 0, resetSeconds });
    throw new RateLimited(
      'Too many requests without a valid key came from this address; only a valid key works now.',
      resetSeconds,
    );
  }

  /** @throws RateLimited if the account has used up its requests of this minute */
  private async limit(account: Caller['account'] | null, reply: FastifyReply): Promise<void> {
    const limit = account?.plan.limits.requests_per_minute ?? 0;
    if (!account || limit === 0) return;
    const { isAdmitted, remaining, waitMs } = await this.limits.admit(account.id, limit);
    const resetSeconds = Math.ceil(waitMs / SECOND);
    setRateLimitHeaders(reply, 'default', { limit, remaining, resetSeconds });
    if (!isAdmitted) throw new RateLimited(`The plan allows ${limit} requests a minute.`, resetSeconds);
  }

  private requireScope({ anyScope, scope }: RouteAccess, held: readonly Scope[], url: string): void {
    if (anyScope === true) return;
    if (scope === undefined || !this.scopes.has(scope)) throw new Error(`${url} names no scope`);
    if (!grants(held, scope)) throw new InsufficientScope(scope);
  }
}

/** Whether a request changes something. A POST with a reading scope, such as a check of names, does not. */
function isChange({ method, routeOptions }: FastifyRequest): boolean {
  const { scope } = routeOptions.config as RouteAccess;
  return !SAFE_METHODS.includes(method) && scope?.endsWith(':read') !== true;
}

function isAuthFailure(error: unknown): boolean {
  return error instanceof AuthenticationRequired || error instanceof InvalidToken;
}

/** Describes a refused credential for the audit trail. Returns null for other errors, such as a missing credential. */
function toRefusedAttempt(error: unknown): RefusedAttempt | null {
  if (error instanceof KnownKeyRefused || error instanceof AccountSuspended) return error.attempt;
  return error instanceof InvalidToken ? { reason: 'unknown', accountId: null, keyId: null } : null;
}

interface RateLimitStatus {
  readonly limit: number;
  readonly remaining: number;
  /** The time until the full limit is available again. */
  readonly resetSeconds: number;
}

/** Sends the headers of draft-ietf-httpapi-ratelimit-headers, version 11: `r` requests are left for `t` seconds. */
function setRateLimitHeaders(
  reply: FastifyReply,
  policy: string,
  { limit, remaining, resetSeconds }: RateLimitStatus,
): void {
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=60`);
  void reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
}
