import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import type { SqlClient } from '../database/sql-client.js';
import type { SqlStatement } from '../database/sql.js';
import type { RedisConnection } from '../redis/redis-connection.js';

export interface TokenGrant {
  /** The number of granted tokens, from 0 up to the requested number. */
  readonly tokens: number;
  readonly remaining: number;
  /** Milliseconds until the next token, or until the window ends. */
  readonly waitMs: number;
}

/**
 * Implements one kind of rate limit that all processes share. The Lua script runs in Redis if configured, else the SQL
 * runs in PostgreSQL. Either takes as many of the wanted tokens as are free. Either returns how many tokens were free,
 * and the wait for the next token.
 */
export interface TokenRule {
  /** Parameters: $1 the key, $2 the wanted tokens, then the parameters of the limit. Returns `free` and `waitMs`. */
  readonly sql: SqlStatement;
  /** Parameters: ARGV[1] the wanted tokens, then the parameters of the limit. Returns `free` and `waitMs`. */
  readonly lua: string;
  readonly redisPrefix: string;
  /** Logged while the store is unavailable. */
  readonly outageMessage: string;
}

/** The part of a limit that each process grants by itself while the store is unavailable. */
export interface LocalShare {
  readonly tokens: number;
  readonly windowMs: number;
}

export interface OutageOptions {
  /** Limits the wait for the store. If missing, there is no limit. */
  readonly timeoutMs?: number;
  /** After a failure, the process does not ask the store for this long. */
  readonly retryAfterMs?: number;
}

interface LocalWindow {
  readonly endsAt: number;
  used: number;
}

const MAX_LOCAL_WINDOWS = 10_000;

/** Takes tokens that all processes share. While the store is unavailable, a process grants only its own share. */
export class SharedTokens {
  private readonly log = new Logger(SharedTokens.name);
  private readonly windows = new LRUCache<string, LocalWindow>({ max: MAX_LOCAL_WINDOWS });
  private warnedAt = -Infinity;
  private unavailableUntil = -Infinity;

  constructor(
    private readonly rule: TokenRule,
    private readonly redis: RedisConnection,
    private readonly sqlClient: SqlClient,
    private readonly options: OutageOptions = {},
  ) {}

  /** Takes up to this many tokens. Never rejects. @param parameters the limit's parameters for SQL or Lua */
  async take(key: string, tokens: number, parameters: readonly number[], share: LocalShare): Promise<TokenGrant> {
    if (performance.now() >= this.unavailableUntil)
      try {
        const { timeoutMs } = this.options;
        const taking = this.takeFromStore(key, tokens, parameters);
        return toGrant(tokens, await (timeoutMs === undefined ? taking : withTimeout(timeoutMs, taking)));
      } catch (error) {
        this.unavailableUntil = performance.now() + (this.options.retryAfterMs ?? 0);
        this.warn(error as Error);
      }
    return toGrant(tokens, this.takeFromShare([key, ...parameters].join(' '), tokens, share));
  }

  private async takeFromStore(key: string, tokens: number, parameters: readonly number[]): Promise<Taken> {
    const { client } = this.redis;
    const { sql, lua, redisPrefix } = this.rule;
    if (client === null) {
      const [row] = await this.sqlClient.run<Taken>(sql, [key, tokens, ...parameters]);
      if (!row) throw new Error(`${sql.name} returned no row`);
      return row;
    }
    if (client.status !== 'ready') throw new Error('Redis is not connected');
    const answer = await client.eval(lua, 1, `${redisPrefix}:${key}`, tokens, ...parameters);
    const [free, waitMs] = answer as [number, number];
    return { free, waitMs };
  }

  private takeFromShare(key: string, tokens: number, share: LocalShare): Taken {
    const now = performance.now();
    const known = this.windows.get(key);
    const window = known && now < known.endsAt ? known : { used: 0, endsAt: now + share.windowMs };
    this.windows.set(key, window);
    const free = Math.max(0, share.tokens - window.used);
    window.used += tokens;
    return { free, waitMs: window.endsAt - now };
  }

  private warn({ message }: Error): void {
    if (performance.now() - this.warnedAt < MINUTE) return;
    this.warnedAt = performance.now();
    this.log.warn(`${this.rule.outageMessage}: ${message}`);
  }
}

interface Taken {
  readonly free: number;
  readonly waitMs: number;
}

function toGrant(wanted: number, { free, waitMs }: Taken): TokenGrant {
  const tokens = Math.min(free, wanted);
  return { tokens, remaining: free - tokens, waitMs: Math.max(0, waitMs) };
}

export interface BlockSizes {
  readonly min: number;
  /** The block size doubles up to this size. */
  readonly max: number;
  /** If more requests than `max` are waiting, a block may exceed `max`, but not this limit. */
  readonly limit: number;
  /** The size of the next block after a block that lasted a second or longer. */
  readonly afterIdle: 'min' | 'same';
}

/**
 * Holds tokens of a shared rate limit in this process, so that most requests need no round trip. Tokens are fetched in
 * blocks. The block size doubles when a block is used up within a second. All times are from performance.now().
 */
export class LocalTokenPool {
  private tokens = 0;
  private expiresAt = -Infinity;
  private fetchedAt = -Infinity;
  private blockSize: number;

  constructor(private readonly sizes: BlockSizes) {
    this.blockSize = sizes.min;
  }

  /** Counts the tokens held, including expired tokens. */
  get size(): number {
    return this.tokens;
  }

  hasToken(now: number): boolean {
    return this.tokens > 0 && now < this.expiresAt;
  }

  take(): void {
    this.tokens -= 1;
  }

  get isLow(): boolean {
    return this.tokens <= this.blockSize / 2;
  }

  /** Returns how many tokens to fetch when `waiting` requests have none. */
  nextBlockSize(waiting: number, now: number): number {
    const { min, max, limit, afterIdle } = this.sizes;
    const isUsedUpEarly = now - this.fetchedAt < SECOND;
    const grown = isUsedUpEarly ? Math.min(this.blockSize * 2, max) : afterIdle === 'min' ? min : this.blockSize;
    const size = Math.min(Math.max(grown, waiting), limit);
    this.blockSize = Math.min(size, max);
    return size;
  }

  /** Adds a fetched block. Discards held tokens that have expired, or that expire a second or more before the block. */
  add(tokens: number, expiresAt: number, now: number): void {
    const isSameWindow = now < this.expiresAt && expiresAt < this.expiresAt + SECOND;
    this.tokens = (isSameWindow ? this.tokens : 0) + tokens;
    this.expiresAt = expiresAt;
    this.fetchedAt = now;
  }
}
