import { DomainError } from '../../kernel/domain-error.js';

const WHEN = { retry_after_seconds: 1 };

/** One account exceeds its limit of concurrent requests. The service still accepts requests of other accounts. */
export class TooManyConcurrentRequests extends DomainError {
  constructor(why: string) {
    super('too_many_concurrent_requests', why, WHEN);
  }
}

/** The requests of all accounts together exceed the capacity of this process. */
export class Overloaded extends DomainError {
  constructor(why: string) {
    super('overloaded', why, WHEN);
  }
}

/**
 * Limits concurrent work, which takes slots. An account with n slots gets another slot only while more than n are free.
 */
export class Places {
  private readonly takenBy = new Map<string, number>();
  private taken = 0;

  /** @param of completes the error message "This account has too many …", for example with `requests in flight` */
  constructor(
    private readonly all: number,
    private readonly perAccount: number,
    private readonly of: string,
  ) {}

  get isFull(): boolean {
    return this.taken >= this.all;
  }

  /** @returns a function that frees the slots again, or the error if too few are free */
  take(account: string | undefined, size = 1): (() => void) | DomainError {
    const wanted = size + (account === undefined ? 0 : (this.takenBy.get(account) ?? 0));
    if (wanted > this.perAccount) return new TooManyConcurrentRequests(`This account has too many ${this.of}.`);
    if (wanted > this.all - this.taken) return new Overloaded(`This process has too many ${this.of}.`);
    this.add(account, size);
    let isTaken = true;
    return () => {
      if (isTaken) this.add(account, -size);
      isTaken = false;
    };
  }

  private add(account: string | undefined, size: number): void {
    this.taken += size;
    if (account === undefined) return;
    const now = (this.takenBy.get(account) ?? 0) + size;
    if (now > 0) this.takenBy.set(account, now);
    else this.takenBy.delete(account);
  }
}
