import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import ledger from '../../../examples/ledger/src/ledger.js';
import { LedgerEntry } from '../../../examples/ledger/src/ledger-entry.js';
import { RecordStatusChanges } from '../../../examples/ledger/src/record-status-changes.js';
import { startForTests, type TestNamewatch, until } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';

type Handle = RecordStatusChanges['handle'];

interface ListedEntry {
  readonly domain: string;
  readonly status: string;
  readonly last_checked_at: string;
}

/** A service with the ledger of examples/ledger, whose registry and clock a test moves. */
export class LedgerService {
  private constructor(readonly namewatch: TestNamewatch) {}

  static async start(settings: Readonly<Record<string, string>>): Promise<LedgerService> {
    const own = { DATABASE_URL: await freshDatabase(), LEASE_SECONDS: '2' };
    return new LedgerService(await startForTests({ extensions: [ledger], settings: { ...own, ...settings } }));
  }

  readonly record: Handle = (events) =>
    RecordStatusChanges.prototype.handle.call(this.namewatch.get(RecordStatusChanges), events);

  /** What handles events from now on, in place of the ledger's own. */
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

/** @param more tests of the same service that need not run on each queue */
export function ledgerSuite(
  queue: string,
  settings: () => Readonly<Record<string, string>>,
  more: (service: () => LedgerService) => void = () => undefined,
): void {
  describe(`an extension that keeps a ledger, queue on ${queue}`, () => {
    let service: LedgerService;
    beforeAll(async () => {
      service = await LedgerService.start(settings());
    });
    afterAll(() => service.namewatch.close());
    afterEach(() => service.replaceHandler(service.record));

    it('writes a row with each change of status', async () => {
      await service.watchRegistered('written.test');
      service.release('written.test');
      await until(async () => (await service.entryOf('written.test'))?.status === 'available');
      expect(await service.statusesOf('written.test')).toEqual(['available']);
    });

    it('undoes a change whose row it could not write, and repeats both a lease later', async () => {
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

    more(() => service);
  });
}
