import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { AccountBeingDeleted, OperatorAccountStays } from './auth.errors.js';
import { newId } from '../../kernel/identifier.js';

/** Owns entries, channels and keys. */
export class Account extends AggregateRoot<Account> {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly plan: string,
    readonly createdAt: Date,
    /** Keys are refused and no work is done for the account while it is set. */
    readonly suspendedAt: Date | null,
    /** Once set, it is never taken back: data is gone. */
    readonly deletionStartedAt: Date | null,
    /** Of the people who run this service: it opens others, and stays. */
    readonly isOperator: boolean,
  ) {
    super();
  }

  static open(name: string, plan: string, now: Date, isOperator = false): Account {
    return new Account(newId('acc'), name, plan, now, null, null, isOperator);
  }

  /** Things that the account has beyond the new plan stay. */
  changePlan(plan: string): void {
    this.become({ plan });
  }

  /** Suspending again keeps the first time. */
  suspend(now: Date): void {
    if (!this.suspendedAt) this.become({ suspendedAt: now });
  }

  /**
   * Suspends it too. Starting again keeps the first time.
   * @throws OperatorAccountStays
   */
  startDeletion(now: Date): void {
    if (this.isOperator) throw new OperatorAccountStays(this.id);
    this.suspend(now);
    if (!this.deletionStartedAt) this.become({ deletionStartedAt: now });
  }

  /** @throws AccountBeingDeleted */
  resume(): void {
    if (this.deletionStartedAt) throw new AccountBeingDeleted(this.id);
    this.become({ suspendedAt: null });
  }
}

export type ListedAccount = Pick<Account, 'id' | 'name' | 'plan' | 'createdAt' | 'suspendedAt'>;

/** Every request of an account needs this state. */
export interface AccountState {
  readonly id: string;
  readonly plan: string;
  readonly isSuspended: boolean;
}

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

export interface AccountPage {
  readonly accounts: readonly ListedAccount[];
  readonly total: number;
}
