import { Plan } from '../../../src/auth/language.js';
import { readConfig } from '../../../src/config/config.js';
import type { CheckDomain, OperatorQuotaService } from '../../../src/domains/index.js';
import { DomainName, type Evidence, type LookupResult } from '../../../src/domains/language.js';
import type { DomainEvent } from '../../../src/kernel/domain-event.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { ObserveDomain } from '../../../src/watchlist/application/observe-domain.js';
import { WatchlistService } from '../../../src/watchlist/application/watchlist.service.js';
import { Brake, Brakes } from '../../../src/watchlist/domain/brake.js';
import { FailurePatience } from '../../../src/watchlist/domain/failure-patience.js';
import type { Lease, Leases } from '../../../src/watchlist/domain/leases.js';
import { WatchEntries } from '../../../src/watchlist/domain/watch-entries.js';
import type { WatchEntry } from '../../../src/watchlist/domain/watch-entry.js';
import type { WatchedName } from '../../../src/watchlist/domain/watched-name.js';
import { WatchedNames } from '../../../src/watchlist/domain/watched-names.js';
import { TestClock } from '../../support/fakes/test-clock.js';
import { aCadence } from './builders.js';

const limits = { intervals: [60], default_interval: 60, entries: 0, channels: 0, requests_per_minute: 0 } as const;
const plan = new Plan('model', { ...limits, bulk: 0, history_days: 0 });

/** The crash of a process in the middle of a transaction. */
class Crash extends Error {}

/** What is stored, and what was told, as a database would keep them: all of a transaction, or nothing. */
class Store extends UnitOfWork {
  name: WatchedName | null = null;
  entries = new Map<string, WatchEntry>();
  readonly told: DomainEvent[] = [];
  crashes = false;

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = { name: copyOf(this.name), entries: new Map([...this.entries].map(([id, e]) => [id, copyOf(e)])) };
    const involved = new Map(this.entries);
    const result = await work();
    const events = [...new Set([...involved.values(), ...this.entries.values()])].flatMap((one) => one.releaseEvents());
    if (this.crashes) {
      Object.assign(this, before);
      throw new Crash();
    }
    this.told.push(...events.filter(({ type }) => type.startsWith('watchlist.')));
    return result;
  }
}

function copyOf<Aggregate extends object | null>(aggregate: Aggregate): Aggregate {
  if (aggregate === null) return aggregate;
  return Object.assign(Object.create(Object.getPrototypeOf(aggregate) as object) as object, aggregate);
}

class StoredNames extends WatchedNames {
  constructor(private readonly store: Store) {
    super();
  }

  findOrStart = (start: WatchedName) => Promise.resolve((this.store.name ??= start));
  find = () => Promise.resolve(this.store.name);
  isWatched = () => Promise.resolve(this.store.name?.resting === false);
  evidenceOf = (): Promise<readonly Evidence[]> => Promise.resolve([]);
  keepEvidence = () => Promise.resolve();
  forgetUnwatched = () => Promise.resolve(0);

  tightestInterval(_: DomainName, except: string): Promise<number | null> {
    const others = [...this.store.entries.values()].filter(({ id, paused }) => id !== except && !paused);
    return Promise.resolve(
      others.length > 0 ? Math.min(...others.map(({ promisedMinutes }) => promisedMinutes)) : null,
    );
  }
}

class StoredEntries extends WatchEntries {
  constructor(private readonly store: Store) {
    super();
  }

  private all = () => [...this.store.entries.values()];
  add = (entry: WatchEntry) => void this.store.entries.set(entry.id, entry);
  remove = ({ id }: WatchEntry) => void this.store.entries.delete(id);
  find = (_: string, id: string) => Promise.resolve(this.store.entries.get(id) ?? null);
  domainOf = (_: string, id: string) => Promise.resolve(this.store.entries.get(id)?.domain ?? null);
  findByDomain = (accountId: string) => Promise.resolve(this.all().find((one) => one.accountId === accountId) ?? null);
  watches = () => Promise.resolve(true);
  someOf = () => Promise.resolve(this.all());
  countForAddition = () => Promise.resolve(0);
  toldOfFailing = (_: DomainName, told: boolean) =>
    Promise.resolve(this.all().filter(({ paused, failingTold }) => !paused && failingTold === told));
  watching = (_: DomainName, boundary?: Date) =>
    Promise.resolve(
      this.all().filter(
        ({ paused, boundaryAt }) => !paused && (!boundary || (boundaryAt !== null && boundaryAt <= boundary)),
      ),
    );
}

class NoBrakes extends Brakes {
  of = (operator: string, tld: string) =>
    Promise.resolve(
      new Brake(
        { operator, tld, heldSince: null, clearedAt: null },
        { lastHour: 0, busiestHour: 0 },
        { dropsPerHour: 1e9, timeScale: 1 },
      ),
    );
  hold = () => Promise.resolve();
  countDrop = () => Promise.resolve();
  forgetDrops = () => Promise.resolve();
  held = () => Promise.resolve([]);
  release = () => Promise.resolve();
}

/** One name, whoever watches it, and the real use cases, on a store that may crash. */
export class World {
  readonly domain = DomainName.restore('lapsed.example');
  readonly clock = new TestClock();
  readonly store = new Store();
  private readonly observe: ObserveDomain;
  private readonly watchlist: WatchlistService;

  constructor() {
    const { store, clock } = this;
    const [names, entries, cadence] = [new StoredNames(store), new StoredEntries(store), aCadence()];
    const leases = { end: (_: Lease) => Promise.resolve(true) } as Leases;
    const budgets = {
      operatorOf: () => 'acme',
      status: () => ({ breaker: 'closed' }),
    } as unknown as OperatorQuotaService;
    const patience = new FailurePatience({ failures: 3, timeScale: 1 });
    const checks = { parse: () => this.domain } as unknown as CheckDomain;
    const brakes = new NoBrakes();
    const config = readConfig({});
    this.observe = new ObserveDomain(names, entries, leases, cadence, patience, budgets, brakes, store, clock, config);
    this.watchlist = new WatchlistService(checks, entries, names, store, clock, budgets, cadence, config);
  }

  async look(look: LookupResult): Promise<void> {
    await this.observe.recordLeased(this.domain, look, { name: this.domain.ascii, token: '' });
  }

  async add(accountId: string): Promise<string> {
    return (await this.watchlist.add({ id: accountId, plan }, this.domain.ascii)).id;
  }

  remove = (accountId: string, id: string) => this.watchlist.remove(accountId, id);
  pause = (accountId: string, id: string, paused: boolean) =>
    this.watchlist.change({ id: accountId, plan }, id, { paused });

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
