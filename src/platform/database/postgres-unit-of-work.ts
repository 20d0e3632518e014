import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AggregateRoot } from '../../kernel/aggregate-root.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { UniquenessBroken, UnitOfWork, WorkContended } from '../../kernel/unit-of-work.js';
import { storeErrorOf } from './database-unavailable.js';
import { RegisteredEventHandlers } from './event-dispatcher.js';

/** The unit of work on MikroORM: one transaction, whose aggregates' events are handled before it commits. */
@Injectable()
export class MikroUnitOfWork extends UnitOfWork {
  constructor(
    private readonly entities: EntityManager,
    private readonly handlers: RegisteredEventHandlers,
  ) {
    super();
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    let events: DomainEvent[] = [];
    try {
      const outcome = await this.entities.transactional(async (transaction) => {
        const result = await work();
        events = releasedIn(transaction);
        if (events.length > 0) {
          await transaction.flush(); // so that what handlers write may refer to the aggregates
          await this.handlers.handle(events);
        }
        return result;
      });
      if (events.length > 0) this.handlers.committed(events);
      return outcome;
    } catch (error) {
      throw uniquenessIn(error) ?? contentionIn(error) ?? storeErrorOf(error);
    }
  }
}

/** Every aggregate that this transaction loaded or made is asked, changed or not: an event alone is no column. */
function releasedIn(transaction: EntityManager): DomainEvent[] {
  const work = transaction.getUnitOfWork();
  const known = [...work.getIdentityMap().values(), ...work.getPersistStack(), ...work.getRemoveStack()];
  const aggregates = new Set<unknown>(known);
  return [...aggregates].flatMap((entity) => (entity instanceof AggregateRoot ? entity.releaseEvents() : []));
}

function uniquenessIn(error: unknown): UniquenessBroken | null {
  if (!(error instanceof UniqueConstraintViolationException)) return null;
  const constraint =
    (error as { constraint?: unknown }).constraint ?? (error.cause as { constraint?: unknown })?.constraint;
  return new UniquenessBroken(typeof constraint === 'string' ? constraint : 'unknown', error);
}

/** SQLSTATEs: a lock was not to be had in time, or two waited for each other. */
const CONTENDED = new Set(['55P03', '40P01']);

function contentionIn(error: unknown): WorkContended | null {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const isContended = [code, cause?.code].some((one) => typeof one === 'string' && CONTENDED.has(one));
  return isContended ? new WorkContended('others held what it needs', error) : null;
}
