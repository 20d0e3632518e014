import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type InsuredLimiter, InsuredLimits } from '../../platform/rate-limit/fallback-rate-limiter.js';
import { MinuteWindows } from '../../platform/rate-limit/fixed-window-limiter.js';
import { RedisConnection } from '../../platform/redis/redis-connection.js';
import { Statements } from '../../platform/database/sql-client.js';
import { type RequestGrant, RequestTokens } from '../domain/local-token-pool.js';

/** What a process grants of a limit while the store is away: two processes grant no more than it together. */
const SHARE_ALONE = 0.5;
/** A store that is silent holds up a request for no longer than this, and no other one for a while; milliseconds. */
const BEARING = { patience: 200, pause: 5_000 };
const COMPLAINT = 'the store of request limits is away, half of each is granted';
const LIMITS_HELD = 1_000;

@Injectable()
export class StoredRequestTokens extends RequestTokens {
  private readonly limits = new InsuredLimits(COMPLAINT, BEARING);
  private readonly limiters = new LRUCache<number, InsuredLimiter>({ max: LIMITS_HELD });
  private readonly windows: MinuteWindows;

  constructor(redis: RedisConnection, statements: Statements) {
    super();
    this.windows = new MinuteWindows(redis, statements);
  }

  async take(holder: string, limit: number, tokens: number): Promise<RequestGrant> {
    const grant = await this.limits.take(this.limiterOf(limit), holder, tokens);
    return { tokens: grant.tokens, left: grant.left, endsIn: grant.wait };
  }

  prune(): Promise<void> {
    return this.windows.prune();
  }

  private limiterOf(limit: number): InsuredLimiter {
    const known = this.limiters.get(limit);
    if (known) return known;
    const share = Math.max(1, Math.floor(limit * SHARE_ALONE));
    const limiter = { shared: this.windows.shared(limit), alone: this.windows.alone(share) };
    this.limiters.set(limit, limiter);
    return limiter;
  }
}
