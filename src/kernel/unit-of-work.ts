import { DomainError } from './domain-error.js';
import type { DomainEvent } from './domain-event.js';

/** A unique constraint refused the write: somebody else was first. `constraint` is its name in the database. */
export class UniqueConstraintViolated extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`unique constraint ${constraint} refused the write`, { cause });
  }
}

/** Others held what this work needs. Nothing was written, and it may be done again at once. */
export class TransactionConflict extends DomainError {
  constructor(why: string, cause?: unknown) {
    super('overloaded', why, { retry_after_seconds: 1 });
    this.cause = cause;
  }
}

/** Where things are kept could not be asked, or gave up. The same work may succeed later. */
export class DatabaseUnavailable extends Error {
  constructor(why: string, cause: unknown) {
    super(why, { cause });
  }
}

/**
 * One transaction, as a port. Everything that `work` changes on aggregates is written when it ends, the events they
 * recorded are handed to the event handlers inside the same transaction, and then it commits. Never hold one open
 * across a socket.
 * @throws UniqueConstraintViolated when a unique constraint refuses the write, TransactionConflict when a lock was not to be had,
 *   DatabaseUnavailable when the database could not be asked.
 */
export abstract class UnitOfWork {
  abstract run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Called inside the transaction that made the events; what it writes commits, or rolls back, with them. */
export type EventHandler = (events: readonly DomainEvent[]) => Promise<void>;

/** Who is told of events before the commit. Modules subscribe while they start. */
export abstract class EventBus {
  abstract subscribe(typePrefix: string, handler: EventHandler): void;
  /** The listener is called once what made the events is committed; it must not throw. */
  abstract afterCommit(typePrefix: string, listener: (events: readonly DomainEvent[]) => void): void;
}
