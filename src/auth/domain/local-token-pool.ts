import { MINUTE, SECOND } from '../../kernel/clock.js';

/** What the store that all processes share gave of an account's minute. */
export interface RequestGrant {
  readonly tokens: number;
  /** How many more there are. */
  readonly left: number;
  /** Milliseconds until the minute is over and all are there again. */
  readonly endsIn: number;
}

/** How an account stands with its limit, after a request. */
export interface RequestStanding {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until there are as many again as the limit allows. */
  readonly resetSeconds: number;
}

/** More in one process's hand would be missed by the others. */
const LARGEST_SHARE = 0.1;

/**
 * What one process has in hand of an account's requests of a minute. Tokens come in blocks that last about a second:
 * twice as many whenever the last block lasted less. What is in hand stays good until the minute is over. Times are
 * milliseconds of the monotonic timer.
 */
export class RequestAllowance {
  private tokens = 0;
  private left: number;
  private endsAt = -Infinity;
  private block: number;
  private filledAt = -Infinity;

  /** @param limit requests in a minute, at least 1 */
  constructor(readonly limit: number) {
    this.left = limit;
    this.block = Math.ceil(limit / (MINUTE / SECOND));
  }

  /** A request's token, if there is one in hand. */
  spend(now: number): boolean {
    if (this.tokens === 0 || now >= this.endsAt) return false;
    this.tokens -= 1;
    return true;
  }

  /** Nothing in hand, and nothing in the store as far as is known. */
  isExhausted(now: number): boolean {
    return this.tokens === 0 && this.left === 0 && now < this.endsAt;
  }

  /** Whether it is time for the next block, before a request has to wait for it. */
  isLow(now: number): boolean {
    return now < this.endsAt && this.left > 0 && this.tokens <= this.block / 2;
  }

  /** How many to ask the store for. */
  nextBlock(waiting: number, now: number): number {
    const most = Math.max(this.block, Math.floor(this.limit * LARGEST_SHARE));
    if (now - this.filledAt < SECOND) this.block = Math.min(this.block * 2, most);
    return Math.min(Math.max(this.block, waiting), this.limit);
  }

  receive({ tokens, left, endsIn }: RequestGrant, now: number): void {
    const isSameMinute = now < this.endsAt && now + endsIn < this.endsAt + SECOND;
    this.tokens = (isSameMinute ? this.tokens : 0) + tokens;
    this.left = left;
    this.endsAt = now + endsIn;
    this.filledAt = now;
  }

  standing(admitted: boolean, now: number): RequestStanding {
    const resetSeconds = Math.max(1, Math.ceil((this.endsAt - now) / SECOND));
    return { admitted, limit: this.limit, remaining: this.tokens + this.left, resetSeconds };
  }
}

/** Where processes share what accounts, and others, may do in a minute. */
export abstract class RequestTokens {
  /** Never rejects: without the store a share of this process's own is given. */
  abstract take(holder: string, limit: number, tokens: number): Promise<RequestGrant>;
  /** Forgets minutes that are over. */
  abstract prune(): Promise<void>;
}
