import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import ledger from '../../../examples/ledger/src/ledger.js';
import { LedgerEntry } from '../../../examples/ledger/src/ledger-entry.js';
import { RecordStatusChanges } from '../../../examples/ledger/src/record-status-changes.js';
import { startForTests, subscriberContract, type TestNamewatch } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';

type Handle = RecordStatusChanges['handle'];
type Events = Parameters<Handle>[0];

describe('the contract of event subscribers', () => {
  let namewatch: TestNamewatch;
  beforeAll(async () => {
    namewatch = await startForTests({ extensions: [ledger], settings: { DATABASE_URL: await freshDatabase() } });
  });
  afterAll(() => namewatch.close());

  const outside = () => namewatch.get(EntityManager).fork();
  const cases = subscriberContract({
    subscriber: RecordStatusChanges,
    namewatch: () => namewatch,
    countRows: (eventIds) => outside().count(LedgerEntry, { eventId: { $in: [...eventIds] } }),
  });
  const record: Handle = (events) =>
    RecordStatusChanges.prototype.handle.call(namewatch.get(RecordStatusChanges), events);

  it.each(cases)('is kept by the ledger: it $name', ({ run }) => run());

  const toRow = ({ id, accountId, occurredAt, payload }: Events[number]) => ({
    ...{ eventId: id, accountId, at: occurredAt, domain: payload.domain },
    ...{ previousStatus: payload.previous_status, status: payload.status },
  });
  const BUGS: [string, Handle, RegExp][] = [
    [
      'writes in a transaction of its own',
      async (events) =>
        void (await outside().upsertMany(LedgerEntry, events.map(toRow), { onConflictAction: 'ignore' })),
      /in the transaction/,
    ],
    [
      'fails at an event that it has',
      async (events) => void (await inside().insertMany(events.map(toRow))),
      /comes twice/,
    ],
    ['handles the first event only', (events) => record(events.slice(0, 1)), /several events/],
    [
      'asks a server on the way',
      async (events) => {
        await fetch(namewatch.registry.url);
        await record(events);
      },
      /no network/,
    ],
    [
      'knows some of its event types only',
      async (events) => {
        if (events.some(({ type }) => type === 'watchlist.available')) throw new Error('unknown event type');
        await record(events);
      },
      /each type/,
    ],
    ['writes nothing', () => Promise.resolve(), /each type/],
  ];
  const inside = () => ({
    insertMany: (rows: ReturnType<typeof toRow>[]) => namewatch.get(EntityManager).insertMany(LedgerEntry, rows),
  });

  it.each(BUGS)('catches a subscriber that %s', async (_, handle, culprit) => {
    const subscriber = namewatch.get(RecordStatusChanges);
    subscriber.handle = handle;
    try {
      const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
      const broken = cases.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name);
      expect(broken).toContainEqual(expect.stringMatching(culprit));
    } finally {
      subscriber.handle = record;
    }
  });
});
