import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import {
  ForeignKeyViolated,
  TransactionConflict,
  UniqueConstraintViolated,
  UnitOfWork,
  EventBus,
  type EventHandler,
} from '../../kernel/unit-of-work.js';
import { translateDatabaseError } from './database-unavailable.js';

/** Dispatches events to handlers by type prefix. A type without a handler is refused: its change would go unnoticed. */
@Injectable()
export class EventDispatcher extends EventBus {
  private readonly handlers: { readonly prefix: string; readonly handler: EventHandler }[] = [];

  private readonly observers: { readonly matches: (type: string) => boolean; readonly observer: EventHandler }[] = [];

  private readonly listeners: {
    readonly prefix: string;
    readonly listener: (events: readonly DomainEvent[]) => void;
  }[] = [];

  subscribe(typePrefix: string, handler: EventHandler): void {
    this.handlers.push({ prefix: typePrefix, handler });
  }

  observe(matches: (type: string) => boolean, observer: EventHandler): void {
    this.observers.push({ matches, observer });
  }

  afterCommit(typePrefix: string, listener: (events: readonly DomainEvent[]) => void): void {
    this.listeners.push({ prefix: typePrefix, listener });
  }

  notifyCommitted(events: readonly DomainEvent[]): void {
    for (const { prefix, listener } of this.listeners) {
      const matching = events.filter((event) => event.type.startsWith(prefix));
      if (matching.length > 0) listener(matching);
    }
  }

  /** Calls each handler once with its events, in order. A handler that throws rolls the transaction back. */
  async dispatch(events: readonly DomainEvent[]): Promise<void> {
    const unhandled = events.find((event) => !this.handlers.some(({ prefix }) => event.type.startsWith(prefix)));
    if (unhandled) throw new Error(`no handler subscribed to the event type ${unhandled.type}`);
    for (const { prefix, handler } of this.handlers) {
      const matching = events.filter((event) => event.type.startsWith(prefix));
      if (matching.length > 0) await handler(matching);
    }
    for (const { matches, observer } of this.observers) {
      const matching = events.filter((event) => matches(event.type));
      if (matching.length > 0) await observer(matching);
    }
  }
}

/** One MikroORM transaction; events of its aggregates are dispatched before it commits. */
@Injectable()
export class PostgresUnitOfWork extends UnitOfWork {
  constructor(
    private readonly entities: EntityManager,
    private readonly dispatcher: EventDispatcher,
  ) {
    super();
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    let events: DomainEvent[] = [];
    try {
      const outcome = await this.entities.transactional(async (transaction) => {
        const result = await work();
        events = releaseEvents(transaction);
        if (events.length > 0) {
          await transaction.flush(); // so that rows written by handlers can reference the aggregates
          await this.dispatcher.dispatch(events);
        }
        return result;
      });
      if (events.length > 0) this.dispatcher.notifyCommitted(events);
      return outcome;
    } catch (error) {
      throw toUniqueConstraintViolated(error) ?? toConflict(error) ?? translateDatabaseError(error);
    }
  }
}

/**
 * Takes the events of every aggregate that this transaction loaded or created, changed or not: an event need not come
 * with a change of a column.
 */
function releaseEvents(transaction: EntityManager): DomainEvent[] {
  const work = transaction.getUnitOfWork();
  const known = [...work.getIdentityMap().values(), ...work.getPersistStack(), ...work.getRemoveStack()];
  const aggregates = new Set<unknown>(known);
  return [...aggregates].flatMap((entity) => (entity instanceof AggregateRoot ? entity.releaseEvents() : []));
}

function toUniqueConstraintViolated(error: unknown): UniqueConstraintViolated | null {
  if (!(error instanceof UniqueConstraintViolationException)) return null;
  const constraint =
    (error as { constraint?: unknown }).constraint ?? (error.cause as { constraint?: unknown })?.constraint;
  return new UniqueConstraintViolated(typeof constraint === 'string' ? constraint : 'unknown', error);
}

/** SQLSTATEs: lock not available, deadlock detected. */
const LOCK_CONFLICT_CODES = ['55P03', '40P01'];
const FOREIGN_KEY_VIOLATION = '23503';

function toConflict(error: unknown): TransactionConflict | ForeignKeyViolated | null {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const has = (expected: string) => code === expected || cause?.code === expected;
  if (has(FOREIGN_KEY_VIOLATION)) return new ForeignKeyViolated(error);
  const isContended = LOCK_CONFLICT_CODES.some(has);
  return isContended ? new TransactionConflict('another transaction holds a lock that it needs', error) : null;
}
