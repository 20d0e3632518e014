import { EntityManager } from '@mikro-orm/postgresql';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainName, ENTRY_STATUSES, LIFECYCLE_PHASES } from '../../../../src/domains/language.js';
import { after, DAY } from '../../../../src/kernel/clock.js';
import { CalendarService } from '../../../../src/watchlist/calendar/calendar.service.js';
import { NEEDS_OF_TODAY } from '../../../../src/watchlist/domain/calendar.js';
import { NEED_NAMES, needsOf, toFilters } from '../../../../src/watchlist/domain/needs.js';
import { SummaryReader } from '../../../../src/watchlist/entries/summary.repository.js';
import { WatchlistPageReader } from '../../../../src/watchlist/entries/watchlist-page.repository.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { PURPOSES } from '../../../../src/watchlist/domain/entry-settings.js';
import { WatchEntryRepository } from '../../../../src/watchlist/watch-entries.repository.js';
import { WatchEntry } from '../../../../src/watchlist/domain/watch-entry.js';
import { WatchedNameRepository } from '../../../../src/watchlist/watched-names.repository.js';
import { WatchedName } from '../../../../src/watchlist/domain/watched-name.js';
import { runService } from '../run-service.js';
import { aNewWatch, monday } from '../../../unit/watchlist/builders.js';
import { checkedNameShapes } from './checked-names.js';
import { TwinNames } from './twin-names.js';

const { running, part, query } = runService({ ROLE: 'api' }); // no periodic task interferes
let accountIds: readonly string[];
beforeAll(async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => running.service.openAccount('business')));
  accountIds = accounts.map(({ id }) => id);
});

const inWork = <Result>(work: () => Promise<Result>) => part(UnitOfWork).run(work);
let names = 0;
const newName = () => DomainName.restore(`name-${(names += 1)}.test`);
/** The fields of an aggregate, without what identifies it. */
const fields = (aggregate: object | null) =>
  Object.fromEntries(Object.entries({ ...aggregate }).filter(([key]) => !['id', 'domain'].includes(key)));

const minutes = fc.integer({ min: 1, max: 100_000 });
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }).filter((one) => !one.includes('\0'));
const settings = fc.record({
  intervalMinutes: minutes,
  expiringWindowDays: fc.integer({ min: 1, max: 365 }),
  paused: fc.boolean(),
  tags: fc.uniqueArray(text, { maxLength: 5 }),
  note: fc.option(text),
  purpose: fc.constantFrom(...PURPOSES),
  remindDays: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 365 }), { maxLength: 10 })),
  expected: fc.option(fc.constant({ nameservers: ['ns1.example.net'], locked: true })),
  renewal: fc.option(fc.record({ on: fc.constant('2027-03-01'), note: fc.option(text) })),
});
/** Mostly the same few, so that two of them are often equal. */
const someMinutes = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(5, 60, 720) }, minutes);
const RUNS = { numRuns: 12 };

describe('SQL that repeats a rule of the code', () => {
  it('stores a new name with the same values as WatchedName.create', async () => {
    const starts = fc.array(fc.tuple(text, minutes), { minLength: 1, maxLength: 20 });
    const property = fc.asyncProperty(starts, async (given) => {
      const made = given.map(([operator, interval]) => WatchedName.create(newName(), operator, interval, monday));
      const read = (one: WatchedName) => inWork(() => part(WatchedNameRepository).findForUpdate(one.name));
      await inWork(() => part(WatchEntryRepository).insertNames(made));
      for (const one of made) expect(fields(await read(one))).toMatchObject(fields(one));
    });
    await fc.assert(property, RUNS);
  });

  it('stores many entries at once with the same values as one by one', async () => {
    const property = fc.asyncProperty(fc.array(settings, { minLength: 1, maxLength: 20 }), async (given) => {
      const accountId = accountIds[0] ?? '';
      const start = (chosen: (typeof given)[number]) =>
        WatchEntry.start({ ...chosen, accountId, domain: newName() }, monday);
      const [single, bulk] = [given.map(start), given.map(start)];
      await inWork(async () => {
        await addNames([...single, ...bulk]);
        for (const one of single) part(EntityManager).persist(one);
        await part(WatchEntryRepository).insertWithoutEvents(bulk);
      });
      const read = async ({ domain }: WatchEntry) => {
        const [entry = null] = await inWork(() =>
          part(WatchEntryRepository).findAllForUpdate(accountId, [domain.ascii]),
        );
        return fields(entry);
      };
      for (const [i, one] of bulk.entries()) {
        const stored = await read(one);
        expect(stored).toMatchObject(fields(one));
        expect([stored]).toEqual(await Promise.all(single.slice(i, i + 1).map(read)));
      }
    });
    await fc.assert(property, RUNS);
  });

  it('finds the same entries that need action as needsOf, in counts, lists and calendars', async () => {
    const shape = fc.record({
      status: fc.constantFrom(...ENTRY_STATUSES),
      phase: fc.constantFrom(...LIFECYCLE_PHASES),
      purpose: fc.constantFrom(...PURPOSES),
      expiresAt: fc.option(fc.integer({ min: -2, max: 33 }).map((days) => after(monday, days * DAY))),
      paused: fc.boolean(),
      failing: fc.boolean(),
      answered: fc.boolean(),
      drift: fc.boolean(),
    });
    const { id } = await running.service.openAccount('business');
    const property = fc.asyncProperty(fc.array(shape, { minLength: 20, maxLength: 30 }), async (shapes) => {
      await query('delete from watch_entries where account_id = $1', [id]);
      const made = shapes.map((one) => anEntry(id, newName(), 60, one.paused));
      await insert(made);
      for (const [n, one] of shapes.entries())
        await query(
          `update watch_entries set status = $2, phase = $3, purpose = $4, expires_at = $5, failing = $6, answered = $7,
             drifted = $8 where id = $1`,
          [made[n]?.id, one.status, one.phase, one.purpose, one.expiresAt, one.failing, one.answered, one.drift],
        );
      const found = shapes.flatMap((one) => needsOf(one, monday));
      const counts = Object.fromEntries(NEED_NAMES.map((need) => [need, found.filter((one) => one === need).length]));
      expect(await part(SummaryReader).countNeeds(id, monday)).toEqual(counts);
      const listed = NEED_NAMES.map(async (need) => {
        const request = { sort: 'domain', descending: false, expanded: false, page: 1, perPage: 1 } as const;
        const { total } = await part(WatchlistPageReader).findPage({
          ...request,
          filters: { accountId: id, ...toFilters(need, monday) },
        });
        return [need, total];
      });
      expect(Object.fromEntries(await Promise.all(listed))).toEqual(counts);
      const file = (await part(CalendarService).readFile(id, {})).replaceAll('\r\n ', '');
      const ofToday = /^UID:[^.]+\.(lost|deletion|available|restore|grace)@/gm;
      expect(file.match(ofToday) ?? []).toHaveLength(found.filter((need) => NEEDS_OF_TODAY.includes(need)).length);
    });
    await fc.assert(property, RUNS);
  });

  it('finds the shortest check interval of a name’s other entries, without paused entries and suspended accounts', async () => {
    const given = fc.record({
      interval: someMinutes,
      minimum: fc.oneof(fc.constant(0), someMinutes),
      paused: fc.boolean(),
      suspended: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 5 }), async (shapes) => {
      const name = newName();
      const watches = shapes.map((shape, i) => ({
        ...shape,
        entry: anEntry(accountIds[i] ?? '', name, shape.interval, shape.paused),
      }));
      await insert(watches.map(({ entry }) => entry));
      await running.service.query('truncate followed_accounts');
      for (const { entry, minimum, suspended } of watches) {
        await running.service.query('update accounts set suspended_at = $2 where id = $1', [
          entry.accountId,
          suspended ? monday : null,
        ]);
        if (minimum > 0)
          await running.service.query('insert into followed_accounts (account_id, minimum_minutes) values ($1, $2)', [
            entry.accountId,
            minimum,
          ]);
      }
      for (const { entry } of watches) {
        const others = watches.filter((one) => one.entry !== entry && !one.paused && !one.suspended);
        const required = others.map(({ interval, minimum }) => Math.max(interval, minimum));
        const names = part(WatchedNameRepository);
        const found = await inWork(() => names.shortestIntervals([name.ascii], entry.accountId));
        expect(found.get(name.ascii)).toBe(required.length === 0 ? undefined : Math.min(...required));
      }
    });
    await fc.assert(property, RUNS);
  });

  it('finds entries by the same facts that they show, whichever statement wrote the facts', async () => {
    const twinNames = new TwinNames(running.service);
    let changed = 0;
    const property = fc.asyncProperty(checkedNameShapes, async (shapes) => {
      const checked = await twinNames.insertWatched(shapes, accountIds);
      const before = await twinNames.readFound();
      await twinNames.record(checked);
      const after = await twinNames.readFound();
      expect(after.map(({ found }) => found)).toEqual(after.map(({ shown }) => shown));
      changed += after.filter(({ found }, i) => JSON.stringify(found) !== JSON.stringify(before[i]?.found)).length;
    });
    await fc.assert(property, RUNS);
    expect(changed).toBeGreaterThan(0);
  });

  it('stores routine results as a transaction does, and only if lock and revision are unchanged', async () => {
    const twinNames = new TwinNames(running.service);
    let written = 0;
    const property = fc.asyncProperty(checkedNameShapes, async (shapes) => {
      const twins = await twinNames.insert(shapes);
      const { routine, overtaken } = await twinNames.recordRoutine(twins);
      for (const one of routine)
        if (one.shape.meanwhile === 'nothing') await twinNames.applyTransactionally(one);
        else await twinNames.endLease(one);
      expect(await twinNames.read('routine')).toEqual(await twinNames.read('transactional'));
      const leased = routine.filter(({ shape }) => shape.lease === 'valid');
      expect(overtaken).toEqual(leased.filter(({ shape }) => shape.meanwhile !== 'nothing'));
      written += leased.length - overtaken.length;
    });
    await fc.assert(property, RUNS);
    expect(written).toBeGreaterThan(0);
  });
});

function addNames(entries: readonly WatchEntry[]): Promise<unknown> {
  const starts = entries.map(({ domain }) => WatchedName.create(domain, 'acme', 60, monday));
  return part(WatchEntryRepository).insertNames(starts);
}

function insert(entries: readonly WatchEntry[]): Promise<void> {
  return inWork(async () => {
    await addNames(entries);
    await part(WatchEntryRepository).insertWithoutEvents(entries);
  });
}

function anEntry(accountId: string, domain: DomainName, intervalMinutes: number, paused: boolean) {
  return WatchEntry.start(aNewWatch({ accountId, domain, intervalMinutes, paused }), monday);
}
