import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainName } from '../../../../src/domains/language.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { BulkEntryRepository } from '../../../../src/watchlist/application/ports/bulk-entry-repository.js';
import { PlanMinimumRepository } from '../../../../src/watchlist/application/ports/plan-minimum-repository.js';
import { WatchEntryRepository } from '../../../../src/watchlist/domain/entry/watch-entry-repository.js';
import { WatchEntry } from '../../../../src/watchlist/domain/entry/watch-entry.js';
import { WatchedNameRepository } from '../../../../src/watchlist/domain/watched-name/watched-name-repository.js';
import { WatchedName } from '../../../../src/watchlist/domain/watched-name/watched-name.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';
import { aNewWatch, monday } from '../../../unit/watchlist/builders.js';

const INTERVALS = [5, 60, 720, 1_440];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' }); // no periodic task interferes
});
afterAll(() => service.close());

const part = <Part>(token: abstract new (...wants: never[]) => Part): Part => service.app.get(token, { strict: false });
const inWork = <Result>(work: () => Promise<Result>) => part(UnitOfWork).run(work);
const name = (label: string) => DomainName.restore(`${label}.test`);
/** The fields of an aggregate, without what identifies it. */
const fields = (aggregate: object | null) =>
  Object.fromEntries(Object.entries({ ...aggregate }).filter(([key]) => !['id', 'domain'].includes(key)));

describe('a statement that repeats a rule of an aggregate', () => {
  it.each(INTERVALS)(
    'stores a new name as WatchedName.create makes it, with an interval of %i minutes',
    async (minutes) => {
      const [single, bulk] = [name(`single-${minutes}`), name(`bulk-${minutes}`)];
      const create = (one: DomainName) => WatchedName.create(one, 'acme', minutes, monday);
      await inWork(() => part(WatchedNameRepository).findOrCreate(create(single)));
      await inWork(() => part(BulkEntryRepository).createOrFindNames([create(bulk)]));
      for (const one of [single, bulk]) {
        const stored = await inWork(async () => fields(await part(WatchedNameRepository).findForUpdate(one)));
        expect(stored).toMatchObject(fields(create(one)));
      }
    },
  );

  it.each([
    ['plain', {}],
    ['paused', { paused: true }],
    ['described', { tags: ['a', 'b,"c"'], note: 'a\nnote', intent: 'own' }],
  ] as const)('stores a %s entry in bulk as the unit of work stores it', async (label, changes) => {
    const { id: accountId } = await service.openAccount('business');
    const [single, bulk] = [name(`entry-${label}`), name(`bulk-entry-${label}`)].map((domain) =>
      WatchEntry.start(aNewWatch({ ...changes, accountId, domain }), null, monday),
    );
    if (!single || !bulk) throw new Error('two entries are needed');
    await inWork(async () => {
      await part(BulkEntryRepository).createOrFindNames(
        [single, bulk].map(({ domain }) => WatchedName.create(domain, 'acme', 60, monday)),
      );
      part(WatchEntryRepository).add(single);
      await part(BulkEntryRepository).insertWithoutEvents([bulk]);
    });
    const read = (id: string) =>
      inWork(async () => fields(await part(WatchEntryRepository).findForUpdate(accountId, id)));
    expect(await read(bulk.id)).toEqual(await read(single.id));
    expect(await read(bulk.id)).toMatchObject(fields(bulk));
  });

  it.each(INTERVALS)('finds the entries that WatchEntry.applyPlanMinimum(%i) changes', async (minimum) => {
    const { id: accountId } = await service.openAccount('business');
    const entries = INTERVALS.flatMap((intervalMinutes) =>
      [0, ...INTERVALS].map((stored) => {
        const domain = name(`minimum-${minimum}-${intervalMinutes}-${stored}`);
        const entry = WatchEntry.start(aNewWatch({ accountId, domain, intervalMinutes }), null, monday);
        entry.applyPlanMinimum(stored);
        return entry;
      }),
    );
    await inWork(async () => {
      const names = entries.map(({ domain, intervalMinutes }) =>
        WatchedName.create(domain, 'acme', intervalMinutes, monday),
      );
      await part(BulkEntryRepository).createOrFindNames(names);
      await part(BulkEntryRepository).insertWithoutEvents(entries);
    });
    const found = await part(PlanMinimumRepository).findOutOfSync({ byPlan: new Map(), fallback: minimum }, null);
    const changed = entries.filter((entry) => {
      const { planMinimumMinutes: before } = entry;
      entry.applyPlanMinimum(minimum);
      return entry.planMinimumMinutes !== before;
    });
    const ids = found.filter((one) => one.accountId === accountId).map(({ id }) => id);
    expect(ids.sort()).toEqual(changed.map(({ id }) => id).sort());
  });
});
