import { Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { LocalTokenPool, SharedTokens } from '../../platform/rate-limit/shared-tokens.js';
import { RedisConnection } from '../../platform/redis/redis-connection.js';
import type { LookupPriority } from '../domain/lookup/admission.js';

/**
 * A token bucket: at most a burst at once, refilled at the operator's rate. $3 the burst, $4 milliseconds from one token to
 * the next. No bucket is empty for longer than its refill takes, also after the server's clock was put back: otherwise an
 * operator would be asked nothing for as long.
 */
const TAKE_TOKENS = {
  name: 'registry_tokens_take',
  text: `
    insert into registry_tokens as t (operator, full_at, free)
    select $1, c.now + least($2::int, $3::int) * $4::float8, $3::int
    from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) c
    on conflict (operator) do update set (full_at, free) = (
      select b.full_at + least(b.free, $2::int) * $4::float8, b.free
      from (
        select c.full_at,
               greatest(0, floor((c.now - c.full_at + 0.001) / $4::float8 + $3::int))::int as free
        from (select now, least(greatest(t.full_at, now), now + $3::int * $4::float8) as full_at
              from (select extract(epoch from clock_timestamp())::float8 * 1000 as now) n) c
      ) b)
    returning free,
              greatest(0, ceil(full_at - extract(epoch from clock_timestamp())::float8 * 1000 - ($3::int - 1) * $4::float8))
                as "waitMs"`,
};

/** The same by Redis' clock: the key stores when the bucket will be full again. */
const TAKE_TOKENS_IN_REDIS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local wanted, burst, apart = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local free = math.max(0, math.floor((now - full + 0.001) / apart + burst))
local granted = math.min(free, wanted)
if granted > 0 then
  full = full + granted * apart
  redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now) + 1000)
end
return { free, math.max(0, math.ceil(full - now - (burst - 1) * apart)) }
`;

const TOKEN_BUCKET = {
  sql: TAKE_TOKENS,
  lua: TAKE_TOKENS_IN_REDIS,
  redisPrefix: 'namewatch:operator',
  outageMessage: 'token store unavailable: using a tenth of each rate limit',
};

/** The share of a rate limit that one process uses while the store is unavailable. */
const LOCAL_SHARE = 0.1;

/** What a bucket granted. */
export interface BucketGrant {
  /** 0 to as many as were requested. */
  readonly tokens: number;
  /** Ends with the next token; 0 when all were granted. */
  readonly waitMs: number;
}

/**
 * One token bucket for each operator, in a store that all processes share. Routine checks leave a fifth of the burst
 * for people's checks and drops.
 */
@Injectable()
export class TokenBuckets {
  private readonly shared: SharedTokens;

  constructor(redis: RedisConnection, sqlClient: SqlClient) {
    this.shared = new SharedTokens(TOKEN_BUCKET, redis, sqlClient);
  }

  /** Never rejects: without the store this process uses a tenth of the rate limit. */
  async take(
    operator: string,
    { perSecond, burst }: OperatorBudget,
    wanted: number,
    priority: LookupPriority,
  ): Promise<BucketGrant> {
    const usableBurst = priority === 'routine' ? burst - priorityReserve(burst) : burst;
    const localTokens = Math.max(1, Math.floor(perSecond * LOCAL_SHARE));
    const share = { tokens: localTokens, windowMs: (localTokens / (perSecond * LOCAL_SHARE)) * SECOND };
    const { tokens, waitMs } = await this.shared.take(operator, wanted, [usableBurst, SECOND / perSecond], share);
    return { tokens, waitMs: tokens === wanted ? 0 : Math.max(waitMs, 1) };
  }
}

/** Where the tokens of an operator come from. */
export type TokenStore = Pick<TokenBuckets, 'take'>;

function priorityReserve(burst: number): number {
  return burst < 3 ? 0 : Math.ceil(burst / 5);
}

/** Unused tokens expire after a second, or after the time of one token at slow rates, at most ten seconds. */
const HOLD_MS = SECOND;
const MAX_HOLD_MS = 10 * SECOND;

/** The tokens of one operator that this process holds: at most a second's worth, from the shared buckets. */
export class OperatorTokenPool {
  private readonly pool: LocalTokenPool;
  private readonly isUnlimited: boolean;
  private readonly holdMs: number;
  private readonly emptyUntilByBucket = { urgent: 0, routine: 0 };
  private isReplenishing = false;

  constructor(
    private readonly operator: string,
    private readonly budget: OperatorBudget,
    private readonly buckets: TokenStore,
  ) {
    const { perSecond } = budget;
    const max = Math.max(1, Math.ceil(perSecond));
    this.pool = new LocalTokenPool({ min: 1, max, limit: max, afterIdle: 'min' });
    this.isUnlimited = perSecond === 0;
    this.holdMs = Math.max(HOLD_MS, Math.min(SECOND / perSecond, MAX_HOLD_MS));
  }

  hasToken(): boolean {
    return this.isUnlimited || this.pool.hasToken(performance.now());
  }

  /** How many of the waiting requests can be served; at least one, which may have its token already. */
  servableCount(waitingCount: number): number {
    return this.isUnlimited ? waitingCount : Math.max(1, Math.min(waitingCount, this.pool.size));
  }

  consume(): void {
    if (!this.isUnlimited) this.pool.take();
  }

  /** Returns until when the store is known to have no token for this priority; performance.now() time. */
  emptyUntil(priority: LookupPriority): number {
    return priority === 'routine'
      ? Math.max(this.emptyUntilByBucket.urgent, this.emptyUntilByBucket.routine)
      : this.emptyUntilByBucket.urgent;
  }

  /** @returns false when nothing was done: a request to the store is in flight, or the store is known to be empty */
  async replenish(priority: LookupPriority, waitingCount: number, now: number): Promise<boolean> {
    if (this.isReplenishing || now < this.emptyUntil(priority)) return false;
    this.isReplenishing = true;
    try {
      await this.fetchBlock(waitingCount, priority);
      return true;
    } finally {
      this.isReplenishing = false;
    }
  }

  /** Takes tokens straight from the store, for requests that the caller sends itself. */
  async reserve(tokens: number, priority: LookupPriority): Promise<number> {
    if (this.isUnlimited) return tokens;
    return performance.now() < this.emptyUntil(priority) ? 0 : this.takeFromStore(tokens, priority);
  }

  private async fetchBlock(waitingCount: number, priority: LookupPriority): Promise<void> {
    const size = this.pool.nextBlockSize(waitingCount, performance.now());
    const tokens = await this.takeFromStore(size, priority);
    const now = performance.now();
    if (tokens > 0) this.pool.add(tokens, now + this.holdMs, now);
  }

  private async takeFromStore(tokens: number, priority: LookupPriority): Promise<number> {
    const grant = await this.buckets.take(this.operator, this.budget, tokens, priority);
    const bucket = priority === 'routine' ? 'routine' : 'urgent';
    if (grant.waitMs > 0) this.emptyUntilByBucket[bucket] = performance.now() + grant.waitMs;
    return grant.tokens;
  }
}
