import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../application/authenticate.js';
import { type FailedAuthentications, FAILURES_A_MINUTE } from '../application/auth-failure-limiter.js';
import type { RequestLimits } from '../application/request-limiter.js';
import { RateLimited } from '../domain/auth.errors.js';
import type { RequestStanding } from '../domain/local-token-pool.js';

/** What a process that serves the API counts. */
export interface RateLimits {
  readonly requests: RequestLimits;
  readonly failures: FailedAuthentications;
}

/**
 * Counts an authentication that failed. It is judged after the key: a lock-out by address never refuses a valid key,
 * else a stranger could lock out everybody behind the same address.
 * @throws RateLimited when too many failed before it
 */
export function countFailure({ failures }: RateLimits, { ip }: FastifyRequest, reply: FastifyReply): void {
  const wait = failures.waitOf(ip);
  if (wait === 0) return failures.note(ip);
  tell(reply, 'authentication', { limit: FAILURES_A_MINUTE, remaining: 0, resetSeconds: wait });
  throw new RateLimited(
    'Too many requests without a valid key came from this address; only a valid key works now.',
    wait,
  );
}

/** @returns a promise only where the store has to be asked. @throws RateLimited */
export function limitRequests(
  { requests }: RateLimits,
  { id, plan }: Caller['account'],
  reply: FastifyReply,
): Promise<void> | undefined {
  const limit = plan.limits.requests_per_minute;
  if (limit === 0) return undefined;
  const standing = requests.admit(id, limit);
  if (standing instanceof Promise) return standing.then((late) => judge(late, reply));
  judge(standing, reply);
  return undefined;
}

function judge(standing: RequestStanding, reply: FastifyReply): void {
  tell(reply, 'default', standing);
  if (standing.admitted) return;
  throw new RateLimited(`The plan allows ${standing.limit} requests a minute.`, standing.resetSeconds);
}

/** draft-ietf-httpapi-ratelimit-headers, version 11: `r` are left, for `t` seconds. */
function tell(
  reply: FastifyReply,
  policy: string,
  { limit, remaining, resetSeconds }: Omit<RequestStanding, 'admitted'>,
): void {
  void reply.header('ratelimit-policy', `"${policy}";q=${limit};w=60`);
  void reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
}
