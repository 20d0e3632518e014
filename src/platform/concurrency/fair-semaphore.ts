import { DomainError } from '../../kernel/domain-error.js';
import { Foreground } from '../../kernel/foreground.js';

export interface LineLimits {
  /** At work at a time, of all accounts together. */
  readonly atOnce: number;
  /** At work at a time, of one account. */
  readonly perAccount: number;
  /** Waiting at a time, of one account. */
  readonly waiting: number;
  /** How long one may wait; milliseconds. */
  readonly waitMs: number;
}

const SOON = 1;

export class AccountBusy extends DomainError {
  constructor(why: string) {
    super('overloaded', why, { retry_after_seconds: SOON });
  }
}

interface Account {
  readonly id: string;
  atWork: number;
  readonly waiting: Set<Waiter>;
}

interface Waiter {
  readonly admit: () => void;
}

/** Leave to work. Given back in two steps, where an answer is still being taken when the work on it is done. */
export class Permit {
  private works = true;
  private holdsPlace = true;

  constructor(private readonly giveBack: (what: { readonly work: boolean; readonly place: boolean }) => void) {}

  /** Others may work; the account's own place is kept. */
  done(): void {
    if (this.works) this.giveBack({ work: true, place: false });
    this.works = false;
  }

  leave(): void {
    if (this.holdsPlace) this.giveBack({ work: this.works, place: true });
    this.works = this.holdsPlace = false;
  }
}

/** After its last request a process counts as in use for so long. */
const IN_USE_MS = 1_000;

/**
 * Admits work of accounts: a few of one account at a time, so many in all, and whoever waits is admitted by turns of the
 * accounts, so that one that asks for much waits behind itself only. Accounts with nothing under way cost nothing.
 */
export class FairLine extends Foreground {
  private readonly accounts = new Map<string, Account>();
  /** Those with somebody waiting, in the order of their turns. */
  private readonly turns = new Set<Account>();
  private atWork = 0;
  private lastBusyAt = -Infinity;

  constructor(private readonly limits: LineLimits) {
    super();
  }

  get isBusy(): boolean {
    return this.atWork > 0;
  }

  get isInUse(): boolean {
    return this.isBusy || performance.now() - this.lastBusyAt < IN_USE_MS;
  }

  /** How many work now. */
  get working(): number {
    return this.atWork;
  }

  /**
   * @returns no promise where nobody has to wait
   * @throws AccountBusy when too many of the account wait already, or one waited too long
   */
  enter(id: string): Permit | Promise<Permit> {
    const account = this.account(id);
    if (this.isFree(account)) return this.admit(account); // then all who wait are of accounts that may not work more
    if (account.waiting.size >= this.limits.waiting) throw new AccountBusy('Too many requests of the account wait.');
    return this.wait(account);
  }

  private wait(account: Account): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          clearTimeout(timer);
          this.forget(account, waiter);
          resolve(this.admit(account));
        },
      };
      const timer = setTimeout(() => {
        this.forget(account, waiter);
        this.drop(account);
        reject(new AccountBusy('The account has as many requests at work as it may.'));
      }, this.limits.waitMs).unref();
      account.waiting.add(waiter);
      this.turns.add(account);
    });
  }

  private admit(account: Account): Permit {
    account.atWork += 1;
    this.atWork += 1;
    return new Permit(({ work, place }) => {
      if (work) this.atWork -= 1;
      if (place) account.atWork -= 1;
      this.admitNext();
      this.drop(account);
      this.lastBusyAt = performance.now();
    });
  }

  private admitNext(): void {
    for (const account of this.turns) {
      if (this.atWork >= this.limits.atOnce) return;
      if (!this.isFree(account)) continue;
      this.turns.delete(account); // and behind the others, if more of it wait
      const [next] = account.waiting;
      next?.admit();
      if (account.waiting.size > 0) this.turns.add(account);
    }
  }

  private isFree({ atWork }: Account): boolean {
    return atWork < this.limits.perAccount && this.atWork < this.limits.atOnce;
  }

  private account(id: string): Account {
    const known = this.accounts.get(id);
    if (known) return known;
    const account: Account = { id, atWork: 0, waiting: new Set() };
    this.accounts.set(id, account);
    return account;
  }

  private forget(account: Account, waiter: Waiter): void {
    account.waiting.delete(waiter);
    if (account.waiting.size === 0) this.turns.delete(account);
  }

  private drop(account: Account): void {
    if (account.atWork === 0 && account.waiting.size === 0) this.accounts.delete(account.id);
  }
}
