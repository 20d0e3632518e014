import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import ledger from '../../../examples/ledger/src/ledger.js';
import { LedgerEntry } from '../../../examples/ledger/src/ledger-entry.js';
import { RecordStatusChanges } from '../../../examples/ledger/src/record-status-changes.js';
import { startForTests, subscriberContract, type TestNamewatch, until } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';

type Handle = RecordStatusChanges['handle'];
type Events = Parameters<Handle>[0];

interface ListedEntry {
  readonly domain: string;
  readonly status: string;
  readonly last_checked_at: string;
}

/** A service with the ledger of examples/ledger, whose registry and clock a test moves. */
class LedgerService {
  private constructor(readonly namewatch: TestNamewatch) {}

  static async start(): Promise<LedgerService> {
    const settings = { DATABASE_URL: await freshDatabase(), LEASE_SECONDS: '2' };
    return new LedgerService(await startForTests({ extensions: [ledger], settings }));
  }

  readonly record: Handle = (events) =>
    RecordStatusChanges.prototype.handle.call(this.namewatch.get(RecordStatusChanges), events);

  /** Replaces the ledger's own handler of events from now on. */
  replaceHandler(handle: Handle): void {
    this.namewatch.get(RecordStatusChanges).handle = handle;
  }

  async entryOf(name: string, client = this.namewatch.client) {
    const { body } = await client.get<{ data: ListedEntry[] }>('/v1/watchlist');
    return body.data.find(({ domain }) => domain === name);
  }

  /** The ledger's rows about a name, oldest first. */
  async statusesOf(domain: string): Promise<string[]> {
    const entities = this.namewatch.get(EntityManager).fork();
    return (await entities.find(LedgerEntry, { domain }, { orderBy: { at: 'asc' } })).map(({ status }) => status);
  }

  async watchRegistered(domain: string, client = this.namewatch.client): Promise<void> {
    this.namewatch.registry.register(domain);
    await client.post('/v1/watchlist', { domain });
    await until(async () => (await this.entryOf(domain, client))?.status === 'registered');
  }

  release(domain: string): void {
    this.namewatch.registry.release(domain);
    this.namewatch.clock.advance({ days: 1 });
  }
}

let service: LedgerService;
beforeAll(async () => {
  service = await LedgerService.start();
});
afterAll(() => service.namewatch.close());
afterEach(() => service.replaceHandler(service.record));

describe('the ledger extension, which records status changes', () => {
  it('writes a row for each change of status', async () => {
    await service.watchRegistered('written.test');
    service.release('written.test');
    await until(async () => (await service.entryOf('written.test'))?.status === 'available');
    expect(await service.statusesOf('written.test')).toEqual(['available']);
  });

  it('rolls back a status change if its row cannot be written, and retries both later', async () => {
    await service.watchRegistered('undone.test');
    let attempts = 0;
    service.replaceHandler(async (events) => {
      await service.record(events);
      attempts += 1;
      if (attempts <= 2) throw new Error('the ledger is closed');
    });
    service.release('undone.test');
    await until(() => attempts === 1);
    expect(await service.entryOf('undone.test')).toMatchObject({ status: 'registered' });
    expect(await service.statusesOf('undone.test')).toEqual([]);
    await until(async () => (await service.entryOf('undone.test'))?.status === 'available');
    expect(attempts).toBe(3);
    expect(await service.statusesOf('undone.test')).toEqual(['available']);
  });

  it('is not called for a lookup that changes nothing', async () => {
    const { clock } = service.namewatch;
    await service.watchRegistered('quiet.test');
    let calls = 0;
    service.replaceHandler(() => Promise.resolve(void (calls += 1)));
    const lastCheck = async () => (await service.entryOf('quiet.test'))?.last_checked_at ?? '';
    const before = await lastCheck();
    clock.advance({ days: 1 });
    await until(async () => (await lastCheck()) > before);
    expect(calls).toBe(0);
  });

  it('does not affect the answer to a client’s check when its handler throws', async () => {
    const { client, registry } = service.namewatch;
    await service.watchRegistered('asked.test');
    service.replaceHandler(() => Promise.reject(new Error('the ledger is closed')));
    registry.release('asked.test');
    const answer = await client.get('/v1/domains/check?domain=asked.test&max_age=0');
    expect(answer).toMatchObject({ status: 200, body: { status: 'available' } });
    expect(await service.entryOf('asked.test')).toMatchObject({ status: 'registered' });
  });

  it('serves rows only to the account that they belong to', async () => {
    const { namewatch } = service;
    await service.watchRegistered('mine.test');
    service.release('mine.test');
    await until(async () => (await service.statusesOf('mine.test')).length === 1);
    const { body } = await namewatch.client.get<{ data: { domain: string }[] }>('/v1/x/ledger');
    expect(body.data.map(({ domain }) => domain)).toContain('mine.test');
    const { key } = await namewatch.openAccount();
    expect((await namewatch.client.withKey(key).get('/v1/x/ledger')).body).toEqual({ data: [] });
    expect((await namewatch.client.withKey(null).get('/v1/x/ledger')).status).toBe(401);
  });

  it('loses the rows of an account when the account is deleted', async () => {
    const { namewatch } = service;
    const { accountId, key } = await namewatch.openAccount();
    await service.watchRegistered('shut.test', namewatch.client.withKey(key));
    service.release('shut.test');
    await until(async () => (await service.statusesOf('shut.test')).length === 1);
    expect(await namewatch.deleteAccount(accountId)).toMatchObject({ 'ledger entries': 1 });
    expect(await service.statusesOf('shut.test')).toEqual([]);
  });
});

describe('the contract test of event subscribers', () => {
  const outside = () => service.namewatch.get(EntityManager).fork();
  const cases = subscriberContract({
    subscriber: RecordStatusChanges,
    namewatch: () => service.namewatch,
    countRows: (eventIds) => outside().count(LedgerEntry, { eventId: { $in: [...eventIds] } }),
  });

  it.each(cases)('passes for the ledger extension, which $name', ({ run }) => run());

  const toRow = ({ id, accountId, occurredAt, payload }: Events[number]) => ({
    eventId: id,
    accountId,
    at: occurredAt,
    domain: payload.domain,
    previousStatus: payload.previous_status,
    status: payload.status,
  });
  const BUGS: [string, Handle, RegExp][] = [
    [
      'writes in its own transaction',
      async (events) =>
        void (await outside().upsertMany(LedgerEntry, events.map(toRow), { onConflictAction: 'ignore' })),
      /in the transaction/,
    ],
    [
      'fails when an event comes twice',
      async (events) => void (await inside().insertMany(events.map(toRow))),
      /comes twice/,
    ],
    ['handles only the first event', (events) => service.record(events.slice(0, 1)), /several events/],
    [
      'sends a network request',
      async (events) => {
        await (await fetch(service.namewatch.registry.url)).text(); // read, its connection serves the next one too
        await service.record(events);
      },
      /no network/,
    ],
    [
      'fails for one of its event types',
      async (events) => {
        if (events.some(({ type }) => type === 'watchlist.available')) throw new Error('unknown event type');
        await service.record(events);
      },
      /each type/,
    ],
    ['writes nothing', () => Promise.resolve(), /each type/],
  ];
  const inside = () => ({
    insertMany: (rows: ReturnType<typeof toRow>[]) =>
      service.namewatch.get(EntityManager).insertMany(LedgerEntry, rows),
  });

  it.each(BUGS)('fails for a subscriber that %s', async (_, handle, culprit) => {
    service.replaceHandler(handle);
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    const broken = cases.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name);
    expect(broken).toContainEqual(expect.stringMatching(culprit));
  });
});
