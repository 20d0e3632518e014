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
} from '../../kernel/unit-of-work.js';
import { isForeignKeyViolation, isLockConflict, translateDatabaseError } from './database-unavailable.js';
import { withOpenTransaction } from './open-transaction.js';

/** Runs work in one MikroORM transaction. Handles the events of the aggregates before the commit. */
@Injectable()
export class PostgresUnitOfWork extends UnitOfWork {
  constructor(
    private readonly entities: EntityManager,
    private readonly bus: EventBus,
  ) {
    super();
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    let events: DomainEvent[] = [];
    try {
      const outcome = await withOpenTransaction((inTransaction) =>
        this.entities.transactional((transaction) =>
          inTransaction(async () => {
            const result = await work();
            events = releaseEvents(transaction);
            if (events.length > 0) {
              await transaction.flush(); // so that rows written by handlers can reference the aggregates
              await this.bus.dispatch(events);
            }
            return result;
          }),
        ),
      );
      if (events.length > 0) this.bus.notifyCommitted(events);
      return outcome;
    } catch (error) {
      throw toUniqueConstraintViolated(error) ?? toConflict(error) ?? translateDatabaseError(error);
    }
  }
}

/** Takes the events of all loaded or new aggregates, since even an unchanged aggregate may have events. */
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

function toConflict(error: unknown): TransactionConflict | ForeignKeyViolated | null {
  if (isForeignKeyViolation(error)) return new ForeignKeyViolated(error);
  return isLockConflict(error)
    ? new TransactionConflict('another transaction holds a lock that it needs', error)
    : null;
}
