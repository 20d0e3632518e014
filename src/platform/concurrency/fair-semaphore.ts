import { DomainError } from '../../kernel/domain-error.js';
import { ConcurrencyConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';

export interface SemaphoreLimits {
  /** Active at a time, over all accounts. */
  readonly maxActive: number;
  /** Active at a time, per account. */
  readonly maxActivePerAccount: number;
  /** The waiting line of one account. */
  readonly maxWaitingPerAccount: LineLimits;
  /** All waiting lines of the process together. */
  readonly maxWaiting: LineLimits;
  readonly waitTimeoutMs: number;
}

/** A waiting request holds its body in memory. */
interface LineLimits {
  readonly requests: number;
  readonly bodyBytes: number;
}

const RETRY_AFTER_SECONDS = 1;

/** The account sends more at a time than it may; others are served. */
export class TooManyConcurrentRequests extends DomainError {
  constructor(why: string) {
    super('too_many_concurrent_requests', why, { retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

/** Requests of all accounts together fill the lines of this process. */
class TooManyWaiting extends DomainError {
  constructor() {
    super('overloaded', 'Too many requests are waiting in this process.', { retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

interface AccountQueue {
  readonly id: string;
  active: number;
  readonly waiting: Line;
}

interface Waiter {
  readonly bodyBytes: number;
  readonly grant: () => void;
  readonly refuse: (error: DomainError) => void;
}

/** Waiters in the order of their arrival. */
class Line {
  private readonly waiters = new Set<Waiter>();
  private bodyBytes = 0;

  get length(): number {
    return this.waiters.size;
  }

  get first(): Waiter | undefined {
    return this.waiters.values().next().value;
  }

  get last(): Waiter | undefined {
    return [...this.waiters].at(-1);
  }

  /** Somebody may always wait where nobody does, whatever the size of the body. */
  hasRoomFor(bodyBytes: number, limits: LineLimits): boolean {
    if (this.length === 0) return limits.requests > 0;
    return this.length < limits.requests && this.bodyBytes + bodyBytes <= limits.bodyBytes;
  }

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    this.bodyBytes += waiter.bodyBytes;
  }

  remove(waiter: Waiter): void {
    if (this.waiters.delete(waiter)) this.bodyBytes -= waiter.bodyBytes;
  }
}

/** Permits work. It is released in two steps where the response is still being sent when the work is done. */
export class Permit {
  private isWorking = true;
  private holdsSlot = true;

  constructor(private readonly onRelease: (what: { readonly work: boolean; readonly slot: boolean }) => void) {}

  /** Frees the shared capacity; the account's own slot stays taken. */
  finishWork(): void {
    if (this.isWorking) this.onRelease({ work: true, slot: false });
    this.isWorking = false;
  }

  release(): void {
    if (this.holdsSlot) this.onRelease({ work: this.isWorking, slot: true });
    this.isWorking = this.holdsSlot = false;
  }
}

/** A place in the waiting line of an account. */
export interface Place {
  /**
   * null for a client that has left. @throws TooManyConcurrentRequests after the timeout, `overloaded` because of
   * others
   */
  readonly permit: Promise<Permit | null>;
  /** Leaves the line, for a client that has hung up. */
  leave(): void;
}

const RECENT_ACTIVITY_MS = 1_000;

/**
 * A semaphore that is fair between accounts: limits per account and in total, and waiters are admitted round-robin by
 * account, so that an account with many requests only delays its own. Idle accounts hold no memory.
 */
export class FairSemaphore {
  private readonly accounts = new Map<string, AccountQueue>();
  /** Accounts with waiters, in round-robin order. */
  private readonly waitingAccounts = new Set<AccountQueue>();
  private readonly everyone = new Line();
  private active = 0;
  private lastActiveAt = -Infinity;

  constructor(private readonly limits: SemaphoreLimits) {}

  /** A request is worked on, or was a moment ago: people send one after the other. */
  get wasRecentlyActive(): boolean {
    return this.active > 0 || performance.now() - this.lastActiveAt < RECENT_ACTIVITY_MS;
  }

  /** Records a request that needs no permit. */
  recordActivity(): void {
    this.lastActiveAt = performance.now();
  }

  get activeCount(): number {
    return this.active;
  }

  /**
   * @param bodyBytes the memory that the request takes while it waits
   * @returns a permit when there is capacity, else a place in the account's line
   * @throws TooManyConcurrentRequests when the account's line is full; `overloaded` when all lines together are
   */
  enter(id: string, bodyBytes = 0): Permit | Place {
    const account = this.getAccount(id);
    if (this.hasCapacity(account)) return this.grant(account); // no waiter could use this capacity
    try {
      if (!account.waiting.hasRoomFor(bodyBytes, this.limits.maxWaitingPerAccount))
        throw new TooManyConcurrentRequests('Too many requests of this account are waiting.');
      this.makeRoom(account, bodyBytes);
      return this.wait(account, bodyBytes);
    } finally {
      this.removeIfIdle(account);
    }
  }

  /**
   * Makes room at the expense of the longest line: an account with few waiting requests is not refused because of
   * others.
   */
  private makeRoom(account: AccountQueue, bodyBytes: number): void {
    while (!this.everyone.hasRoomFor(bodyBytes, this.limits.maxWaiting)) {
      const longest = [...this.waitingAccounts].reduce((one, other) =>
        other.waiting.length > one.waiting.length ? other : one,
      );
      if (longest.waiting.length <= account.waiting.length + 1) throw new TooManyWaiting();
      longest.waiting.last?.refuse(new TooManyWaiting());
    }
  }

  private wait(account: AccountQueue, bodyBytes: number): Place {
    const { promise: permit, resolve, reject } = Promise.withResolvers<Permit | null>();
    const remove = () => {
      clearTimeout(timer);
      this.removeWaiter(account, waiter);
    };
    const end = (settle: () => void) => {
      remove();
      this.removeIfIdle(account);
      settle();
    };
    const waiter: Waiter = {
      bodyBytes,
      grant: () => {
        remove();
        resolve(this.grant(account));
      },
      refuse: (error) => end(() => reject(error)),
    };
    const timer = setTimeout(() => waiter.refuse(this.whyNotAdmitted(account)), this.limits.waitTimeoutMs).unref();
    account.waiting.add(waiter);
    this.everyone.add(waiter);
    this.waitingAccounts.add(account);
    return { permit, leave: () => end(() => resolve(null)) };
  }

  /** One whose account had slots left waited for others. */
  private whyNotAdmitted({ active }: AccountQueue): DomainError {
    if (active < this.limits.maxActivePerAccount) return new TooManyWaiting();
    return new TooManyConcurrentRequests('This account has reached its limit of concurrent requests.');
  }

  private grant(account: AccountQueue): Permit {
    account.active += 1;
    this.active += 1;
    return new Permit(({ work, slot }) => {
      if (work) this.active -= 1;
      if (slot) account.active -= 1;
      this.grantWaiting();
      this.removeIfIdle(account);
      this.recordActivity();
    });
  }

  private grantWaiting(): void {
    for (const account of this.waitingAccounts) {
      if (this.active >= this.limits.maxActive) return;
      if (!this.hasCapacity(account)) continue;
      this.waitingAccounts.delete(account); // to the end of the line, if it has more waiters
      account.waiting.first?.grant();
      if (account.waiting.length > 0) this.waitingAccounts.add(account);
    }
  }

  private hasCapacity({ active }: AccountQueue): boolean {
    return active < this.limits.maxActivePerAccount && this.active < this.limits.maxActive;
  }

  private getAccount(id: string): AccountQueue {
    const known = this.accounts.get(id);
    if (known) return known;
    const account: AccountQueue = { id, active: 0, waiting: new Line() };
    this.accounts.set(id, account);
    return account;
  }

  private removeWaiter(account: AccountQueue, waiter: Waiter): void {
    account.waiting.remove(waiter);
    this.everyone.remove(waiter);
    if (account.waiting.length === 0) this.waitingAccounts.delete(account);
  }

  private removeIfIdle(account: AccountQueue): void {
    if (account.active === 0 && account.waiting.length === 0) this.accounts.delete(account.id);
  }
}

const MiB = 1024 * 1024;
/** Holds whatever a program sends at once; anything above is the account's excess. */
export const MAX_WAITING_PER_ACCOUNT = { requests: 250, bodyBytes: 4 * MiB };
/** Stays below the process's limit on requests in flight: lines leave room for those that need not wait. */
const MAX_WAITING = { requests: 750, bodyBytes: 16 * MiB };
const WAIT_TIMEOUT_MS = 5 * SECOND;

/** Requests work concurrently up to the number of database connections. */
export const accountSemaphore = {
  provide: FairSemaphore,
  inject: [ConcurrencyConfig],
  useFactory: ({ accountConcurrency, databasePool }: ConcurrencyConfig) =>
    new FairSemaphore({
      maxActive: databasePool,
      maxActivePerAccount: accountConcurrency,
      maxWaitingPerAccount: MAX_WAITING_PER_ACCOUNT,
      maxWaiting: MAX_WAITING,
      waitTimeoutMs: WAIT_TIMEOUT_MS,
    }),
};
