import { SECOND } from './clock.js';

export interface BlockSizes {
  readonly min: number;
  /** Blocks grow up to this size. */
  readonly max: number;
  /** However many requests are waiting, no block is larger. */
  readonly limit: number;
  /** The size after a block that lasted a second or longer. */
  readonly afterIdle: 'min' | 'same';
}

/**
 * Tokens of a shared rate limit that this process holds, so that most requests need no round trip to the shared store.
 * They are fetched in blocks, twice as large whenever the last one was used up within a second. All times are those of
 * performance.now().
 */
export class LocalTokenPool {
  private tokens = 0;
  private expiresAt = -Infinity;
  private fetchedAt = -Infinity;
  private blockSize: number;

  constructor(private readonly sizes: BlockSizes) {
    this.blockSize = sizes.min;
  }

  /** Tokens held, expired or not. */
  get size(): number {
    return this.tokens;
  }

  hasToken(now: number): boolean {
    return this.tokens > 0 && now < this.expiresAt;
  }

  /** Takes one of the tokens held. */
  take(): void {
    this.tokens -= 1;
  }

  /** Whether half of the last block is used up. */
  get isLow(): boolean {
    return this.tokens <= this.blockSize / 2;
  }

  /** How many tokens to fetch, when `waiting` requests have none. */
  nextBlockSize(waiting: number, now: number): number {
    const { min, max, limit, afterIdle } = this.sizes;
    const isUsedUpEarly = now - this.fetchedAt < SECOND;
    const grown = isUsedUpEarly ? Math.min(this.blockSize * 2, max) : afterIdle === 'min' ? min : this.blockSize;
    const size = Math.min(Math.max(grown, waiting), limit);
    this.blockSize = Math.min(size, max);
    return size;
  }

  /** Adds a fetched block. Tokens of a window that ends earlier are dropped. */
  add(tokens: number, expiresAt: number, now: number): void {
    const isSameWindow = now < this.expiresAt && expiresAt < this.expiresAt + SECOND;
    this.tokens = (isSameWindow ? this.tokens : 0) + tokens;
    this.expiresAt = expiresAt;
    this.fetchedAt = now;
  }
}
