import { DomainError } from '../../kernel/domain-error.js';
import { RequestActivity } from '../../kernel/request-activity.js';

export interface SemaphoreLimits {
  /** Active at a time, over all accounts. */
  readonly maxActive: number;
  /** Active at a time, per account. */
  readonly maxActivePerAccount: number;
  /** Waiting at a time, per account. */
  readonly maxWaitingPerAccount: number;
  readonly waitTimeoutMs: number;
}

const RETRY_AFTER_SECONDS = 1;

class AccountBusy extends DomainError {
  constructor(why: string) {
    super('overloaded', why, { retry_after_seconds: RETRY_AFTER_SECONDS });
  }
}

interface AccountQueue {
  readonly id: string;
  active: number;
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly grant: () => void;
}

/** Permission to work. Released in two steps where the response is still being sent when the work is done. */
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

const RECENT_ACTIVITY_MS = 1_000;

/**
 * A semaphore that is fair between accounts: limits per account and in total, and waiters are admitted round-robin by
 * account, so that an account with many requests only delays its own. Idle accounts hold no memory.
 */
export class FairSemaphore extends RequestActivity {
  private readonly accounts = new Map<string, AccountQueue>();
  /** Accounts with waiters, in round-robin order. */
  private readonly waitingAccounts = new Set<AccountQueue>();
  private active = 0;
  private lastActiveAt = -Infinity;

  constructor(private readonly limits: SemaphoreLimits) {
    super();
  }

  get hasActiveRequests(): boolean {
    return this.active > 0;
  }

  get wasRecentlyActive(): boolean {
    return this.hasActiveRequests || performance.now() - this.lastActiveAt < RECENT_ACTIVITY_MS;
  }

  /** For requests that need no permit. */
  recordActivity(): void {
    this.lastActiveAt = performance.now();
  }

  get activeCount(): number {
    return this.active;
  }

  /**
   * @returns a permit without a promise when there is capacity
   * @throws AccountBusy when the account's queue is full or the wait timed out
   */
  acquire(id: string): Permit | Promise<Permit> {
    const account = this.getAccount(id);
    if (this.hasCapacity(account)) return this.grant(account); // no waiter could use this capacity
    if (account.waiting.size >= this.limits.maxWaitingPerAccount)
      throw new AccountBusy('Too many requests of this account are waiting.');
    return this.waitForPermit(account);
  }

  private waitForPermit(account: AccountQueue): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          clearTimeout(timer);
          this.removeWaiter(account, waiter);
          resolve(this.grant(account));
        },
      };
      const timer = setTimeout(() => {
        this.removeWaiter(account, waiter);
        this.removeIfIdle(account);
        reject(new AccountBusy('This account has reached its limit of concurrent requests.'));
      }, this.limits.waitTimeoutMs).unref();
      account.waiting.add(waiter);
      this.waitingAccounts.add(account);
    });
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
      const [next] = account.waiting;
      next?.grant();
      if (account.waiting.size > 0) this.waitingAccounts.add(account);
    }
  }

  private hasCapacity({ active }: AccountQueue): boolean {
    return active < this.limits.maxActivePerAccount && this.active < this.limits.maxActive;
  }

  private getAccount(id: string): AccountQueue {
    const known = this.accounts.get(id);
    if (known) return known;
    const account: AccountQueue = { id, active: 0, waiting: new Set() };
    this.accounts.set(id, account);
    return account;
  }

  private removeWaiter(account: AccountQueue, waiter: Waiter): void {
    account.waiting.delete(waiter);
    if (account.waiting.size === 0) this.waitingAccounts.delete(account);
  }

  private removeIfIdle(account: AccountQueue): void {
    if (account.active === 0 && account.waiting.size === 0) this.accounts.delete(account.id);
  }
}
