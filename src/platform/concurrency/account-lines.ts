import PQueue from 'p-queue';
import { ConcurrencyConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { Overloaded, TooManyConcurrentRequests } from './places.js';

export interface LineLimits {
  /** The most requests that may run at a time, for all accounts together. */
  readonly active: number;
  readonly activePerAccount: number;
  readonly waitingPerAccount: number;
  readonly waitMs: number;
}

/** Allows one request to run. Call `finishWork` when the work is done, and `release` when the response is sent. */
export interface Permit {
  /** Lets a waiting request of any account start. Until `release`, this request counts towards its account's limit. */
  finishWork(): void;
  release(): void;
}

const RECENT_ACTIVITY_MS = SECOND;

/** Keeps a waiting line per account, so that an account with many requests delays only itself. */
export class AccountLines {
  private readonly lines = new Map<string, PQueue>();
  private readonly turns: PQueue;
  private lastActiveAt = -Infinity;

  constructor(private readonly limits: LineLimits) {
    this.turns = new PQueue({ concurrency: limits.active });
  }

  get activeCount(): number {
    return this.turns.pending;
  }

  /** True during a request and for one second after. A client often sends its next request within that second. */
  get wasRecentlyActive(): boolean {
    return this.activeCount > 0 || performance.now() - this.lastActiveAt < RECENT_ACTIVITY_MS;
  }

  /** Counts a request that takes no permit as activity, for `wasRecentlyActive`. */
  recordActivity(): void {
    this.lastActiveAt = performance.now();
  }

  /**
   * Waits until the request may run.
   * @param onLeave receives the function to call on a disconnect
   * @returns null if the client disconnected while the request waited
   * @throws TooManyConcurrentRequests if the account is at its limit, Overloaded if the process is at its limit
   */
  enter(account: string, onLeave?: (leave: () => void) => void): Promise<Permit | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Permit | null>();
    const line = this.lineOf(account);
    if (line.size >= this.limits.waitingPerAccount) {
      reject(new TooManyConcurrentRequests('Too many requests of this account are waiting.'));
      return promise;
    }
    const work = Promise.withResolvers<void>();
    const response = Promise.withResolvers<void>();
    const waiting = new AbortController();
    const { signal } = waiting;
    let waitsFor: 'slot' | 'turn' | 'nothing' = 'slot';
    const takeTurn = async () => {
      waitsFor = 'nothing';
      clearTimeout(timer);
      resolve({ finishWork: work.resolve, release: () => [work, response].forEach((held) => held.resolve()) });
      await work.promise;
      this.recordActivity();
    };
    const takeSlot = async () => {
      waitsFor = 'turn';
      await this.turns.add(takeTurn, { signal });
      await response.promise;
    };
    const giveUp = () => waiting.abort(waitsFor === 'turn' ? heldUpByOthers() : heldUpByItself());
    const timer = setTimeout(giveUp, this.limits.waitMs).unref();
    const leave = () => {
      if (waitsFor === 'nothing') return;
      clearTimeout(timer);
      resolve(null);
      waiting.abort();
    };
    onLeave?.(leave);
    line.add(takeSlot, { signal }).catch(reject);
    return promise;
  }

  private lineOf(account: string): PQueue {
    const known = this.lines.get(account);
    if (known) return known;
    const line = new PQueue({ concurrency: this.limits.activePerAccount });
    line.addEventListener('idle', () => this.lines.delete(account));
    this.lines.set(account, line);
    return line;
  }
}

const heldUpByItself = () =>
  new TooManyConcurrentRequests('This account has reached its limit of concurrent requests.');
const heldUpByOthers = () => new Overloaded('Too many requests are waiting in this process.');

/** If this many requests of an account are waiting, its next request is refused at once. */
export const WAITING_PER_ACCOUNT = 250;
const WAIT_MS = 5 * SECOND;

/** Runs at most as many requests at a time as the pool has database connections. */
export const accountLines = {
  provide: AccountLines,
  inject: [ConcurrencyConfig],
  useFactory: ({ accountConcurrency, databasePool }: ConcurrencyConfig) =>
    new AccountLines({
      active: databasePool,
      activePerAccount: accountConcurrency,
      waitingPerAccount: WAITING_PER_ACCOUNT,
      waitMs: WAIT_MS,
    }),
};
