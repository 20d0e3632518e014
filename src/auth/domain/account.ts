import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { AccountBeingDeleted } from './auth.errors.js';
import { newId } from '../../kernel/identifier.js';

/** Owns entries, channels and keys. */
export class Account extends AggregateRoot<Account> {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly plan: string,
    readonly createdAt: Date,
    /** While set, keys are refused and no work is done for the account. */
    readonly suspendedAt: Date | null,
    /** Once set, it is never taken back: data is gone. */
    readonly deletionStartedAt: Date | null,
  ) {
    super();
  }

  static open(name: string, plan: string, now: Date): Account {
    return new Account(newId('acc'), name, plan, now, null, null);
  }

  /** What the account has beyond the new plan stays. */
  changePlan(plan: string): void {
    this.become({ plan });
  }

  /** Suspending again keeps the first time. */
  suspend(now: Date): void {
    if (!this.suspendedAt) this.become({ suspendedAt: now });
  }

  /** Suspends it too. Starting again keeps the first time. */
  startDeletion(now: Date): void {
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

/** What every request of an account needs. */
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

export abstract class AccountRepository {
  abstract add(account: Account): void;
  abstract find(id: string): Promise<Account | null>;
  /** Outside any transaction, in one statement with concurrent calls. */
  abstract findState(id: string): Promise<AccountState | null>;
  /** Whether it is the oldest account. */
  abstract isFirst(id: string): Promise<boolean>;
  /** Oldest first. */
  abstract page(request: PageRequest): Promise<AccountPage>;
  /** Notes that the deletion of the account makes progress; one statement. */
  abstract noteDeletionProgress(id: string): Promise<void>;
  /** An account whose deletion made no progress for so many seconds; it counts as progress to have found it. */
  abstract takeAbandonedDeletion(seconds: number): Promise<string | null>;
  /** Deletes its keys and stored responses, in short transactions. */
  abstract deleteKeys(id: string): Promise<void>;
  /**
   * Inside a unit of work, which other data that remains makes fail.
   * @returns false when there is none, since another process was first
   */
  abstract delete(id: string): Promise<boolean>;
  /** The first account, if any; blocks other first starts until the unit of work ends. */
  abstract lockFirst(): Promise<Account | null>;
}
