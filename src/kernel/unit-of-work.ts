import { DomainError } from './domain-error.js';
import type { DomainEvent } from './domain-event.js';

/** A unique constraint refused the write: another transaction was first. `constraint` is its name in the database. */
export class UniqueConstraintViolated extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`unique constraint ${constraint} refused the write`, { cause });
  }
}

/** Other rows refer to the row to delete, or a new row refers to a missing row. Nothing was written. */
export class ForeignKeyViolated extends Error {
  constructor(cause: unknown) {
    super('a foreign key refused the write', { cause });
  }
}

/**
 * Another transaction got in the way, such as by holding a lock. This transaction wrote nothing, and the caller may
 * retry.
 */
export class TransactionConflict extends DomainError {
  constructor(why: string, cause?: unknown) {
    super('overloaded', why, { retry_after_seconds: 1 });
    this.cause = cause;
  }
}

/** The database did not answer, or aborted the statement. The same work may succeed later. */
export class DatabaseUnavailable extends Error {
  constructor(why: string, cause: unknown) {
    super(why, { cause });
  }
}

/**
 * Runs `work` in a transaction, so `work` must never wait for a network. Before the commit, changed aggregates are
 * written and their events handled.
 * @throws UniqueConstraintViolated, ForeignKeyViolated, TransactionConflict, DatabaseUnavailable
 */
export abstract class UnitOfWork {
  abstract run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Runs inside the transaction that recorded the events. The handler's writes commit or roll back with the events. */
export type EventHandler = (events: readonly DomainEvent[]) => Promise<void>;
type EventListener = (events: readonly DomainEvent[]) => void;

interface Subscription<Receiver> {
  readonly matches: (type: string) => boolean;
  readonly receive: Receiver;
}

/** Passes events to their handlers. Modules subscribe handlers while they start. */
export class EventBus {
  private readonly handlers: Subscription<EventHandler>[] = [];
  private readonly observers: Subscription<EventHandler>[] = [];
  private readonly listeners: Subscription<EventListener>[] = [];

  subscribe(typePrefix: string, handler: EventHandler): void {
    this.handlers.push({ matches: (type) => type.startsWith(typePrefix), receive: handler });
  }

  /** Subscribes an observer, which runs after the handlers. An event type with an observer still needs a handler. */
  observe(matches: (type: string) => boolean, observer: EventHandler): void {
    this.observers.push({ matches, receive: observer });
  }

  /** Registers a listener that runs after the commit. The listener must not throw. */
  afterCommit(typePrefix: string, listener: EventListener): void {
    this.listeners.push({ matches: (type) => type.startsWith(typePrefix), receive: listener });
  }

  /** A handler that throws rolls the transaction back. Each event needs a handler, so that no change goes unnoticed. */
  async dispatch(events: readonly DomainEvent[]): Promise<void> {
    const unhandled = events.find(({ type }) => !this.handlers.some(({ matches }) => matches(type)));
    if (unhandled) throw new Error(`no handler subscribed to the event type ${unhandled.type}`);
    for (const { matches, receive } of [...this.handlers, ...this.observers]) {
      const matching = events.filter(({ type }) => matches(type));
      if (matching.length > 0) await receive(matching);
    }
  }

  notifyCommitted(events: readonly DomainEvent[]): void {
    for (const { matches, receive } of this.listeners) {
      const matching = events.filter(({ type }) => matches(type));
      if (matching.length > 0) receive(matching);
    }
  }
}
