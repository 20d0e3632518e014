import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { AccountBeingDeleted, OperatorAccountStays } from './auth.errors.js';
import { newId } from '../../kernel/identifier.js';

/** An account, to which entries, channels and keys belong. */
export class Account extends AggregateRoot<Account> {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly plan: string,
    readonly createdAt: Date,
    /** While an account is suspended, its keys are refused, and nothing is checked or sent for the account. */
    readonly suspendedAt: Date | null,
    /** Never reset to null, because some of the account's data is deleted already. */
    readonly deletionStartedAt: Date | null,
    /** Whether this is the account of the people who run this service. Only this account can open accounts. */
    readonly isOperator: boolean,
  ) {
    super();
  }

  static open(name: string, plan: string, now: Date, isOperator = false): Account {
    return new Account(newId('acc'), name, plan, now, null, null, isOperator);
  }

  /** Changes the plan. Keeps all entries and channels, even if the new plan allows fewer. */
  changePlan(plan: string): void {
    this.become({ plan });
  }

  suspend(now: Date): void {
    if (!this.suspendedAt) this.become({ suspendedAt: now });
  }

  /**
   * Begins the deletion, and suspends the account.
   * @throws OperatorAccountStays for the operator's account
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
