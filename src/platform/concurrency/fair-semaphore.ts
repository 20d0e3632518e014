import { DomainError } from '../../kernel/domain-error.js';
import { RequestActivity } from '../../kernel/request-activity.js';

export interface SemaphoreLimits {
  /** At work at a time, of all accounts together. */
  readonly maxActive: number;
  /** At work at a time, of one account. */
  readonly maxActivePerAccount: number;
  /** Waiting at a time, of one account. */
  readonly maxWaitingPerAccount: number;
  /** How long one may wait; milliseconds. */
  readonly waitTimeoutMs: number;
}

const RETRY_AFTER_SECONDS = 1;

export class AccountBusy extends DomainError {
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

/** Leave to work. Given back in two steps, where an answer is still being taken when the work on it is done. */
export class Permit {
  private isWorking = true;
  private holdsSlot = true;

  constructor(private readonly onRelease: (what: { readonly work: boolean; readonly slot: boolean }) => void) {}

  /** Others may work; the account's own place is kept. */
  finishWork(): void {
    if (this.isWorking) this.onRelease({ work: true, slot: false });
    this.isWorking = false;
  }

  release(): void {
    if (this.holdsSlot) this.onRelease({ work: this.isWorking, slot: true });
    this.isWorking = this.holdsSlot = false;
  }
}

/** After its last request a process counts as in use for so long. */
const RECENT_ACTIVITY_MS = 1_000;

/**
 * Admits work of accounts: a few of one account at a time, so many in all, and whoever waits is admitted by turns of the
 * accounts, so that one that asks for much waits behind itself only. Accounts with nothing under way cost nothing.
 */
export class FairSemaphore extends RequestActivity {
  private readonly accounts = new Map<string, AccountQueue>();
  /** Those with somebody waiting, in the order of their turns. */
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

  /** How many work now. */
  get activeCount(): number {
    return this.active;
  }

  /**
   * @returns no promise where nobody has to wait
   * @throws AccountBusy when too many of the account wait already, or one waited too long
   */
  acquire(id: string): Permit | Promise<Permit> {
    const getAccount = this.getAccount(id);
    if (this.hasCapacity(getAccount)) return this.grant(getAccount); // then all who wait are of accounts that may not work more
    if (getAccount.waiting.size >= this.limits.maxWaitingPerAccount)
      throw new AccountBusy('Too many requests of the account wait.');
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
        reject(new AccountBusy('The account has as many requests at work as it may.'));
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
      this.waitingAccounts.delete(getAccount); // and behind the others, if more of it wait
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
