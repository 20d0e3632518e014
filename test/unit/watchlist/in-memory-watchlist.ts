import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { AuditTrail } from '../../../src/auth/index.js';
import { Plan } from '../../../src/auth/language.js';
import type { CheckDomain, OperatorRateLimits } from '../../../src/domains/index.js';
import { DomainName, type Evidence, type LookupResult } from '../../../src/domains/language.js';
import type { DomainEvent } from '../../../src/kernel/domain-event.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { ApplyRecordUpdates } from '../../../src/watchlist/records/apply-record-updates.js';
import { ApplyCheckResult } from '../../../src/watchlist/checks/apply-check-result.js';
import { EntryBatch } from '../../../src/watchlist/entries/entry-batch.js';
import { EntryRevision } from '../../../src/watchlist/entries/entry-revision.js';
import { WriteRows } from '../../../src/watchlist/entries/write-rows.js';
import { InMemoryRecords } from './in-memory-records.js';
import type { EntrySettingsInput } from '../../../src/watchlist/domain/entry-settings.js';
import type { ParentZoneReports } from '../../../src/watchlist/domain/record-rules.js';
import { WatchlistService } from '../../../src/watchlist/entries/watchlist.service.js';
import { FailureAlertPolicy } from '../../../src/watchlist/domain/failure-alert-policy.js';
import type { HistoryRepository } from '../../../src/watchlist/records/history.repository.js';
import type { Lease, LeaseRepository } from '../../../src/watchlist/checks/leases.repository.js';
import type { RegistrationRecordRepository } from '../../../src/watchlist/records/registration-records.repository.js';
import type { WatchEntryRepository } from '../../../src/watchlist/watch-entries.repository.js';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import type { WatchedNameRepository } from '../../../src/watchlist/watched-names.repository.js';
import { TestClock } from '../../support/fakes/test-clock.js';
import { aSchedule } from './builders.js';

const limits = { intervals: [60], default_interval: 60, entries: 0, channels: 0, requests_per_minute: 0 } as const;
const plan = new Plan('model', { ...limits, bulk: 0, history_days: 0 });

/** The crash of a process in the middle of a transaction. */
class Crash extends Error {}

/** Stored rows and published events: a transaction applies as a whole or not at all. */
class Store extends UnitOfWork {
  name: WatchedName | null = null;
  entries = new Map<string, WatchEntry>();
  readonly published: DomainEvent[] = [];
  records = new InMemoryRecords(() => this.entries.values());
  crashes = false;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const rows = this.records.rows.map((row) => ({ ...row }));
    const before = { name: copyOf(this.name), entries: new Map([...this.entries].map(([id, e]) => [id, copyOf(e)])) };
    const involved = new Map(this.entries);
    const result = await work();
    const events = [...new Set([...involved.values(), ...this.entries.values()])].flatMap((one) => one.releaseEvents());
    const ended = this.name?.releaseEvents().some(({ type }) => type === 'record.ended');
    if (ended) await this.records.endAll();
    if (this.crashes) {
      Object.assign(this, before);
      this.records.rows = rows;
      throw new Crash();
    }
    this.published.push(...events.filter(({ type }) => type.startsWith('watchlist.')));
    return result;
  }
}

function copyOf<Aggregate extends object | null>(aggregate: Aggregate): Aggregate {
  if (aggregate === null) return aggregate;
  return Object.assign(Object.create(Object.getPrototypeOf(aggregate) as object) as object, aggregate);
}

class InMemoryNames implements Partial<WatchedNameRepository> {
  constructor(private readonly store: Store) {}

  findUnlockedForUpdate = () => Promise.resolve(this.store.name ? [this.store.name] : []);
  findForUpdate = () => Promise.resolve(this.store.name);
  findEvidence = (): Promise<readonly Evidence[]> => Promise.resolve([]);
  saveEvidence = () => Promise.resolve();
  requiredMinimum = () => Promise.resolve(0);

  shortestIntervals([domain = '']: readonly string[], exceptAccount: string): Promise<ReadonlyMap<string, number>> {
    const others = [...this.store.entries.values()].filter((one) => one.accountId !== exceptAccount && !one.paused);
    const shortest = Math.min(...others.map(({ intervalMinutes }) => intervalMinutes));
    return Promise.resolve(new Map(others.length > 0 ? [[domain, shortest]] : []));
  }
}

class InMemoryEntries implements Partial<WatchEntryRepository> {
  constructor(private readonly store: Store) {}

  private all = () => [...this.store.entries.values()];
  removeAll = (entries: readonly WatchEntry[]) => {
    for (const { id } of entries) this.store.entries.delete(id);
    return Promise.resolve();
  };
  copyShown = () => Promise.resolve();
  findExpectingForUpdate = () => Promise.resolve(this.all().filter(({ expected }) => expected !== null));
  findAllForUpdate = (accountId: string) => Promise.resolve(this.of(accountId));
  findDomain = (_: string, id: string) => Promise.resolve(this.store.entries.get(id)?.domain ?? null);
  lockAndCount = () => Promise.resolve(0);
  findByFailureNotified = (_: DomainName, notified: boolean) =>
    Promise.resolve(this.all().filter(({ paused, failureNotified }) => !paused && failureNotified === notified));
  findActiveForUpdate = (_: DomainName, boundary?: Date) =>
    Promise.resolve(
      this.all().filter(
        ({ paused, boundaryAt }) => !paused && (!boundary || (boundaryAt !== null && boundaryAt <= boundary)),
      ),
    );
  private of = (accountId: string) => this.all().filter((one) => one.accountId === accountId);
  findByDomains = (accountId: string) =>
    Promise.resolve(new Map(this.of(accountId).map((one) => [one.domain.ascii, { id: one.id, settings: one }])));
  findIds = (accountId: string) =>
    Promise.resolve(new Map(this.of(accountId).map(({ domain, id }) => [domain.ascii, id])));
  insertNames = ([start]: readonly WatchedName[]) => {
    const isNew = start !== undefined && this.store.name === null;
    this.store.name ??= start ?? null;
    return Promise.resolve(new Set(isNew ? [start.domain] : []));
  };
  insertWithoutEvents = (entries: readonly WatchEntry[]) => {
    for (const entry of entries) this.store.entries.set(entry.id, entry);
    return Promise.resolve();
  };
}

const NO_HISTORY = { keep: () => Promise.resolve() } as Partial<HistoryRepository> as HistoryRepository;
const NO_TRAIL = {
  record: () => Promise.resolve(),
  origin: () => ({ requestId: null }),
} as unknown as AuditTrail;

/** One name, its entries and the real use cases, on a store that may crash. */
export class InMemoryWatchlist {
  readonly domain = DomainName.restore('lapsed.example');
  readonly clock = new TestClock();
  readonly store = new Store();
  private readonly observe: ApplyCheckResult;
  private readonly watchlist: WatchlistService;

  constructor() {
    const { store, clock } = this;
    const cadence = aSchedule();
    const names = new InMemoryNames(store) as Partial<WatchedNameRepository> as WatchedNameRepository;
    const entries = new InMemoryEntries(store) as Partial<WatchEntryRepository> as WatchEntryRepository;
    const leases = { end: (_: Lease) => Promise.resolve(true) } as LeaseRepository;
    const budgets = {
      operatorOf: () => 'acme',
      status: () => Promise.resolve({ breaker: 'closed' }),
    } as unknown as OperatorRateLimits;
    const failureAlerts = new FailureAlertPolicy(TimeUnits.REAL);
    const records = store.records as Partial<RegistrationRecordRepository> as RegistrationRecordRepository;
    const checks = { parse: () => this.domain } as unknown as CheckDomain;
    this.observe = new ApplyCheckResult(
      names,
      entries,
      leases,
      cadence,
      failureAlerts,
      budgets,
      store,
      clock,
      new ApplyRecordUpdates(records, entries),
    );
    const batches = new EntryBatch(names, entries, store);
    const revision = new EntryRevision(entries, names, NO_HISTORY, records, NO_TRAIL, clock, cadence, TimeUnits.REAL);
    this.watchlist = new WatchlistService(
      checks,
      entries,
      names,
      store,
      new WriteRows(entries, names, batches, revision, budgets, clock),
      NO_TRAIL,
    );
  }

  async applyResult(result: LookupResult, parentZone: ParentZoneReports = {}): Promise<void> {
    await this.observe.applyLeased(this.domain, result, { name: this.domain.ascii, token: '' }, parentZone);
  }

  async add(accountId: string, settings: EntrySettingsInput = {}, notifyCurrent = false): Promise<string> {
    return (await this.watchlist.add({ id: accountId, plan }, this.domain.ascii, settings, notifyCurrent)).id;
  }

  remove = (accountId: string, id: string) => this.watchlist.remove({ id: accountId, plan }, id);
  change = (accountId: string, id: string, settings: EntrySettingsInput, notifyCurrent = false) =>
    this.watchlist.change({ id: accountId, plan }, id, settings, undefined, notifyCurrent);
  pause = (accountId: string, id: string, paused: boolean) => this.change(accountId, id, { paused });

  /** Does something, in whose transaction the process dies. */
  async crashing(work: () => Promise<unknown>): Promise<void> {
    this.store.crashes = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    } finally {
      this.store.crashes = false;
    }
  }
}
