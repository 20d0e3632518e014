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

  get activeCount(): number {
    return this.active;
  }

  /**
   * @returns a permit without a promise when there is capacity
   * @throws AccountBusy when the account's queue is full or the wait timed out
   */
  acquire(id: string): Permit | Promise<Permit> {
    const getAccount = this.getAccount(id);
    if (this.hasCapacity(getAccount)) return this.grant(getAccount); // no waiter could use this capacity
    if (getAccount.waiting.size >= this.limits.maxWaitingPerAccount)
      throw new AccountBusy('Too many requests of this account are waiting.');
    return this.waitForPermit(getAccount);
  }

  private waitForPermit(getAccount: AccountQueue): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          clearTimeout(timer);
          this.removeWaiter(getAccount, waiter);
          resolve(this.grant(getAccount));
        },
      };
      const timer = setTimeout(() => {
        this.removeWaiter(getAccount, waiter);
        this.removeIfIdle(getAccount);
        reject(new AccountBusy('This account has reached its limit of concurrent requests.'));
      }, this.limits.waitTimeoutMs).unref();
      getAccount.waiting.add(waiter);
      this.waitingAccounts.add(getAccount);
    });
  }

  private grant(getAccount: AccountQueue): Permit {
    getAccount.active += 1;
    this.active += 1;
    return new Permit(({ work, slot }) => {
      if (work) this.active -= 1;
      if (slot) getAccount.active -= 1;
      this.grantWaiting();
      this.removeIfIdle(getAccount);
      this.lastActiveAt = performance.now();
    });
  }

  private grantWaiting(): void {
    for (const getAccount of this.waitingAccounts) {
      if (this.active >= this.limits.maxActive) return;
      if (!this.hasCapacity(getAccount)) continue;
      this.waitingAccounts.delete(getAccount); // to the end of the line, if it has more waiters
      const [next] = getAccount.waiting;
      next?.grant();
      if (getAccount.waiting.size > 0) this.waitingAccounts.add(getAccount);
    }
  }

  private hasCapacity({ active }: AccountQueue): boolean {
    return active < this.limits.maxActivePerAccount && this.active < this.limits.maxActive;
  }

  private getAccount(id: string): AccountQueue {
    const known = this.accounts.get(id);
    if (known) return known;
    const getAccount: AccountQueue = { id, active: 0, waiting: new Set() };
    this.accounts.set(id, getAccount);
    return getAccount;
  }

  private removeWaiter(getAccount: AccountQueue, waiter: Waiter): void {
    getAccount.waiting.delete(waiter);
    if (getAccount.waiting.size === 0) this.waitingAccounts.delete(getAccount);
  }

  private removeIfIdle(getAccount: AccountQueue): void {
    if (getAccount.active === 0 && getAccount.waiting.size === 0) this.accounts.delete(getAccount.id);
  }
}
