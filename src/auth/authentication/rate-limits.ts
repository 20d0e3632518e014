import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller/caller.js';
import { type AuthFailureLimiter, MAX_FAILURES_PER_MINUTE } from './auth-failure-limiter.js';
import type { RefusedAuthentications, RefusalMetrics } from './refused-authentications.js';
import type { RateLimitStatus, RequestLimiter } from './request-limiter.js';
import { RateLimited } from '../domain/auth.errors.js';

export interface RateLimiters {
  readonly requests: RequestLimiter;
  readonly failures: AuthFailureLimiter;
  readonly refused: RefusedAuthentications;
  readonly refusals: RefusalMetrics;
}

/**
 * Counts a failed authentication. Checked after the key: a lockout never refuses a valid key, or a stranger could lock
 * out everyone behind the same address.
 * @throws RateLimited during a lockout
 */
export function recordAuthFailure({ failures }: RateLimiters, { ip }: FastifyRequest, reply: FastifyReply): void {
  const waitSeconds = failures.lockedOutSeconds(ip);
  if (waitSeconds === 0) return failures.recordFailure(ip);
  setRateLimitHeaders(reply, 'authentication', {
    limit: MAX_FAILURES_PER_MINUTE,
    remaining: 0,
    resetSeconds: waitSeconds,
  });
  throw new RateLimited(
    'Too many requests without a valid key came from this address; only a valid key works now.',
    waitSeconds,
  );
}

/** @returns a promise only when the store is needed. @throws RateLimited */
export function limitRequests(
  { requests }: RateLimiters,
  { id, plan }: Caller['account'],
  reply: FastifyReply,
): Promise<void> | undefined {
  const limit = plan.limits.requests_per_minute;
  if (limit === 0) return undefined;
  const status = requests.admit(id, limit);
  if (status instanceof Promise) return status.then((late) => enforce(late, reply));
  enforce(status, reply);
  return undefined;
}

function enforce(status: RateLimitStatus, reply: FastifyReply): void {
  setRateLimitHeaders(reply, 'default', status);
  if (status.admitted) return;
  throw new RateLimited(`The plan allows ${status.limit} requests a minute.`, status.resetSeconds);
}

/** draft-ietf-httpapi-ratelimit-headers, version 11: `r` requests left, for `t` seconds. */
function setRateLimitHeaders(
  reply: FastifyReply,
  policy: string,
  { limit, remaining, resetSeconds }: Omit<RateLimitStatus, 'admitted'>,
): void {
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=60`);
  void reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
}
