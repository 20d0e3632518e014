import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';

/** Who owns entries, channels and keys. */
export class Account extends AggregateRoot<Account> {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly plan: string,
    readonly createdAt: Date,
    /** Since when its keys are refused and nothing is done for it; null: it is not suspended. */
    readonly suspendedAt: Date | null,
  ) {
    super();
  }

  static open(name: string, plan: string, now: Date): Account {
    return new Account(newId('acc'), name, plan, now, null);
  }

  /** Another plan from now on. What it holds beyond that plan it keeps. */
  changePlan(plan: string): void {
    this.become({ plan });
  }

  /** Suspended again, it stays suspended since the first time. */
  suspend(now: Date): void {
    if (!this.suspendedAt) this.become({ suspendedAt: now });
  }

  resume(): void {
    this.become({ suspendedAt: null });
  }
}

/** An account as lists show it. */
export type ListedAccount = Pick<Account, 'id' | 'name' | 'plan' | 'createdAt' | 'suspendedAt'>;

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
  /** Whether no account is older. */
  abstract isFirst(id: string): Promise<boolean>;
  /** Oldest first. */
  abstract page(request: PageRequest): Promise<AccountPage>;
  /** With its keys and kept replies. @returns false when something else of it is left; then the account is still there */
  abstract deleteWithKeys(id: string): Promise<boolean>;
  /** The first account, if there is any; holds other first starts off until the unit of work ends. */
  abstract lockFirst(): Promise<Account | null>;
}
