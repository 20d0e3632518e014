import assert from 'node:assert/strict';
import type { Type } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type {
  EventFilter,
  EventOf,
  EventSubscriber,
  EventPayloads,
  EventType,
} from '../extensions/event-subscriber.js';
import { UnitOfWork } from '../kernel/unit-of-work.js';
import { type ContractCase, recordConnections, toContractCases } from './contract-case.js';
import type { TestNamewatch } from './start-for-tests.js';
import { newId } from '../kernel/identifier.js';
import { matchesFilter } from '../notifications/index.js';
import { exampleEvents as exampleWatchlistEvents } from '../watchlist/language.js';

type Events = readonly EventOf<EventFilter>[];

export interface SubscriberContractOptions {
  readonly subscriber: Type<EventSubscriber>;
  /** Returns a running service with the subscriber's extension. Called when a case runs. */
  readonly namewatch: () => TestNamewatch;
  /**
   * Counts the rows that the subscriber has written for the events with these ids (`evt_…`). Runs outside of the
   * subscriber's transaction.
   */
  readonly countRows: (eventIds: readonly string[]) => Promise<number>;
  /** How many rows the subscriber writes for an event, such as 0 for an ignored event. The default is 1. */
  readonly rowsFor?: (event: EventOf<EventFilter>) => number;
}

/** Returns test cases with the rules for every event subscriber. */
export function subscriberContract(options: SubscriberContractOptions): ContractCase[] {
  return toContractCases(() => new SubscriberProbe(options), {
    'takes an event of each type that its filters name': takesEachType,
    'takes several events in one call': takesSeveral,
    'writes in the transaction of the change, which a later failure undoes': writesInTransaction,
    'leaves the same rows when an event comes twice': isIdempotent,
    'waits for no network': usesNoNetwork,
  });
}

/** Calls the subscriber as the service does: in a transaction, with a flush afterwards. */
class SubscriberProbe {
  private readonly namewatch: TestNamewatch;
  private readonly entities: EntityManager;
  private readonly subscriber: EventSubscriber;

  constructor(private readonly options: SubscriberContractOptions) {
    this.namewatch = options.namewatch();
    this.entities = this.namewatch.get(EntityManager);
    this.subscriber = this.namewatch.get(options.subscriber);
  }

  get databasePort(): number {
    return Number(new URL(this.namewatch.databaseUrl).port || '5432');
  }

  /** Creates an event of each type that the subscriber's filters match. Each event has a new id. */
  createEvents(): Events {
    const events = createExampleEvents(this.subscriber.filters, this.namewatch.accountId);
    assert.ok(events.length > 0, `no event matches the filters ${this.subscriber.filters.join(', ')}`);
    return events;
  }

  /** Calls the subscriber in a transaction. @param after runs in the same transaction, after the subscriber */
  async handle(events: Events, after: () => void = () => undefined): Promise<void> {
    await this.namewatch.get(UnitOfWork).run(async () => {
      await this.subscriber.handle(events);
      await this.entities.flush();
      after();
    });
  }

  expectedRows(events: Events): number {
    const { rowsFor = () => 1 } = this.options;
    return events.reduce((count, event) => count + rowsFor(event), 0);
  }

  countRows(events: Events): Promise<number> {
    return this.options.countRows(events.map(({ id }) => id));
  }

  async assertRows(events: Events, expected: number, message: string): Promise<void> {
    const rows = await this.countRows(events);
    assert.equal(rows, expected, `${message}: ${rows} rows, not ${expected}`);
  }
}

async function takesEachType(probe: SubscriberProbe): Promise<void> {
  for (const event of probe.createEvents()) {
    await assert.doesNotReject(probe.handle([event]), `it throws at an event of the type ${event.type}`);
    await probe.assertRows([event], probe.expectedRows([event]), `an event of the type ${event.type}`);
  }
}

async function takesSeveral(probe: SubscriberProbe): Promise<void> {
  const events = [...probe.createEvents(), ...probe.createEvents()];
  await probe.handle(events);
  await probe.assertRows(events, probe.expectedRows(events), `${events.length} events in one call`);
}

class LaterFailure extends Error {}

async function writesInTransaction(probe: SubscriberProbe): Promise<void> {
  const events = probe.createEvents();
  const undone = probe.handle(events, () => {
    throw new LaterFailure('the change is undone');
  });
  await assert.rejects(undone, LaterFailure);
  await probe.assertRows(
    events,
    0,
    'rows outlived the change that was undone: they were written in another transaction',
  );
}

async function isIdempotent(probe: SubscriberProbe): Promise<void> {
  const events = probe.createEvents();
  await probe.handle(events);
  await assert.doesNotReject(probe.handle(events), 'it throws when an event comes again');
  await probe.assertRows(events, probe.expectedRows(events), 'the same events twice');
}

async function usesNoNetwork(probe: SubscriberProbe): Promise<void> {
  const connections = await recordConnections(probe.databasePort, () => probe.handle(probe.createEvents()));
  assert.deepEqual(connections, [], 'it connects while the transaction holds its locks');
}

const OTHER_PAYLOADS = {
  'channel.disabled': { channel_id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx', type: 'webhook', reason: 'failing', detail: null },
  'entry.removed': { entry_id: 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx' },
} as const satisfies Partial<EventPayloads>;

/**
 * Returns the example events that the filters match. The examples are the history of one domain name, and
 * OTHER_PAYLOADS.
 */
function createExampleEvents(filters: readonly EventFilter[], accountId: string): EventOf<EventFilter>[] {
  const watchlist = exampleWatchlistEvents().map(({ type, payload, occurredAt }) => ({ type, payload, occurredAt }));
  const occurredAt = watchlist.at(-1)?.occurredAt ?? new Date();
  const others = Object.entries(OTHER_PAYLOADS).map(([type, payload]) => ({ type, payload, occurredAt }));
  return [...watchlist, ...others]
    .filter(({ type }) => filters.some((filter) => matchesFilter(filter, type)))
    .map((event) => ({ ...event, id: newId('evt'), accountId, type: event.type as EventType }) as EventOf<EventFilter>);
}
