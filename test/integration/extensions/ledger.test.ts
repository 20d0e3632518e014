import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import ledger from '../../../examples/ledger/src/ledger.js';
import { LedgerEntry } from '../../../examples/ledger/src/ledger-entry.js';
import { RecordStatusChanges } from '../../../examples/ledger/src/record-status-changes.js';
import { startForTests, type TestNamewatch, until } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';

describe('an extension that keeps a ledger', () => {
  let namewatch: TestNamewatch;
  beforeAll(async () => {
    const settings = { DATABASE_URL: await freshDatabase(), LEASE_SECONDS: '2' };
    namewatch = await startForTests({ extensions: [ledger], settings });
  });
  afterAll(() => namewatch.close());

  const subscriber = () => namewatch.get(RecordStatusChanges);
  const record: RecordStatusChanges['handle'] = (events) =>
    RecordStatusChanges.prototype.handle.call(subscriber(), events);
  afterEach(() => {
    subscriber().handle = record;
  });

  const entryOf = async (name: string, client = namewatch.client) => {
    const { body } = await client.get<{ data: { domain: string; status: string }[] }>('/v1/watchlist');
    return body.data.find(({ domain }) => domain === name);
  };
  const statusesOf = async (domain: string) => {
    const rows = await namewatch
      .get(EntityManager)
      .fork()
      .find(LedgerEntry, { domain }, { orderBy: { at: 'asc' } });
    return rows.map(({ status }) => status);
  };
  const watch = async (domain: string, client = namewatch.client) => {
    namewatch.registry.register(domain);
    await client.post('/v1/watchlist', { domain });
    await until(async () => (await entryOf(domain, client))?.status === 'registered');
  };
  const release = (domain: string) => {
    namewatch.registry.release(domain);
    namewatch.clock.advance({ days: 1 });
  };

  it('writes a row with each change of status', async () => {
    await watch('written.test');
    release('written.test');
    await until(async () => (await entryOf('written.test'))?.status === 'available');
    expect(await statusesOf('written.test')).toEqual(['available']);
  });

  it('undoes a change whose row it could not write, and repeats both a lease later', async () => {
    await watch('undone.test');
    let failures = 0;
    subscriber().handle = async (events) => {
      await record(events);
      failures += 1;
      if (failures <= 2) throw new Error('the ledger is closed');
    };
    release('undone.test');
    await until(() => failures === 1);
    expect(await entryOf('undone.test')).toMatchObject({ status: 'registered' });
    expect(await statusesOf('undone.test')).toEqual([]);
    await until(async () => (await entryOf('undone.test'))?.status === 'available');
    expect(failures).toBe(3);
    expect(await statusesOf('undone.test')).toEqual(['available']);
  });

  it('is not called for a lookup that changes nothing', async () => {
    await watch('quiet.test');
    let calls = 0;
    subscriber().handle = () => Promise.resolve(void (calls += 1));
    const asked = namewatch.registry.countQueries('quiet.test');
    namewatch.clock.advance({ days: 1 });
    await until(() => namewatch.registry.countQueries('quiet.test') > asked);
    await until(async () => (await entryOf('quiet.test'))?.status === 'registered');
    expect(calls).toBe(0);
  });

  it('serves its rows to their account only', async () => {
    await watch('mine.test');
    release('mine.test');
    await until(async () => (await statusesOf('mine.test')).length === 1);
    const { body } = await namewatch.client.get<{ data: { domain: string }[] }>('/v1/ledger');
    expect(body.data.map(({ domain }) => domain)).toContain('mine.test');
    const { key } = await namewatch.openAccount();
    expect((await namewatch.client.withKey(key).get('/v1/ledger')).body).toEqual({ data: [] });
    expect((await namewatch.client.withKey(null).get('/v1/ledger')).status).toBe(401);
  });

  it('loses its rows of an account with the account', async () => {
    const { accountId, key } = await namewatch.openAccount();
    await watch('shut.test', namewatch.client.withKey(key));
    release('shut.test');
    await until(async () => (await statusesOf('shut.test')).length === 1);
    const deleted = await namewatch.deleteAccount(accountId);
    expect(deleted).toMatchObject({ 'ledger entries': 1 });
    expect(await statusesOf('shut.test')).toEqual([]);
  });
});
