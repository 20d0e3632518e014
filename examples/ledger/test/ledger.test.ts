import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntityManager } from 'namewatch/mikro-orm';
import { startForTests, subscriberContract, type TestNamewatch, until } from 'namewatch/testing';
import ledger from '../src/ledger.js';
import { LedgerEntry } from '../src/ledger-entry.js';
import { RecordStatusChanges } from '../src/record-status-changes.js';

interface Watchlist {
  readonly data: readonly { readonly domain: string; readonly status: string }[];
}
type Ledger = Watchlist;

describe('the ledger', () => {
  let namewatch: TestNamewatch;
  before(async () => {
    namewatch = await startForTests({ extensions: [ledger] });
  });
  after(() => namewatch.close());

  it('has a row for each change of status', async () => {
    const { client, registry, clock } = namewatch;
    registry.register('lapsing.test');
    await client.post('/v1/watchlist', { domain: 'lapsing.test' }); // its first status is no change
    await until(async () => (await client.get<Watchlist>('/v1/watchlist')).body.data[0]?.status === 'registered');
    registry.release('lapsing.test');
    clock.advance({ days: 1 });
    const [entry] = await until(async () => {
      const { data } = (await client.get<Ledger>('/v1/x/ledger')).body;
      return data.length > 0 && data;
    });
    assert.equal(entry?.domain, 'lapsing.test');
    assert.equal(entry?.status, 'available');
  });

  const contract = subscriberContract({
    subscriber: RecordStatusChanges,
    namewatch: () => namewatch,
    countRows: (ids) =>
      namewatch
        .get(EntityManager)
        .fork()
        .count(LedgerEntry, { eventId: { $in: [...ids] } }),
  });
  for (const { name, run } of contract) it(name, run);
});
