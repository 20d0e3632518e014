import { AggregateRoot } from '../../kernel/aggregate-root.js';
import { newId } from '../../kernel/identifier.js';

/** Who owns entries, channels and keys. */
export class Account extends AggregateRoot<Account> {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly plan: string,
    readonly createdAt: Date,
  ) {
    super();
  }

  static open(name: string, plan: string, now: Date): Account {
    return new Account(newId('acc'), name, plan, now);
  }

  /** Another plan from now on. What it holds beyond that plan it keeps. */
  changeTo(plan: string): void {
    this.become({ plan });
  }
}

export abstract class Accounts {
  abstract add(account: Account): void;
  abstract find(id: string): Promise<Account | null>;
  /** Whether no account is older. */
  abstract isFirst(id: string): Promise<boolean>;
  /** The first account, if there is any; holds other first starts off until the unit of work ends. */
  abstract firstForBootstrap(): Promise<Account | null>;
}
