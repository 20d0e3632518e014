import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { Config } from '../../config.js';
import { CheckDomain } from '../../domains/index.js';
import type { DomainName } from '../../domains/language.js';
import { Clock } from '../../kernel/clock.js';
import { UniquenessBroken, UnitOfWork } from '../../kernel/unit-of-work.js';
import { WatchEntries, WatchEntry } from '../domain/watch-entry.js';
import { WatchedName, WatchedNames } from '../domain/watched-name.js';
import { AlreadyWatched, EntryNotFound } from '../domain/watchlist.errors.js';

export interface AddWatch {
  readonly domain: string;
  readonly intervalMinutes: number | undefined;
}

const ONE_WATCH_EACH = 'one_watch_per_account';

/** Puts names on an account's watchlist and takes them off. No registry is asked here; the next tick does that. */
@Injectable()
export class WatchlistService {
  constructor(
    private readonly checks: CheckDomain,
    private readonly entries: WatchEntries,
    private readonly names: WatchedNames,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** @throws NameRefused, IntervalNotAllowed, AlreadyWatched, PlanLimitReached; then nothing is written. */
  async add(account: Caller['account'], { domain, intervalMinutes }: AddWatch): Promise<WatchEntry> {
    const name = this.checks.parse(domain);
    const minutes = account.plan.intervalFor(intervalMinutes);
    try {
      return await this.work.run(() => this.start(account, name, minutes));
    } catch (error) {
      // Two requests at once both saw no entry; the unique key let one through.
      if (error instanceof UniquenessBroken && error.constraint === ONE_WATCH_EACH)
        return this.refuse(account, name, error);
      throw error;
    }
  }

  /** @throws EntryNotFound for an id that is not there, another account's included. */
  remove(accountId: string, id: string): Promise<void> {
    return this.work.run(async () => {
      // The name is locked first, as by those who record looks: in the other order the two would wait for each other.
      const domain = await this.entries.domainOf(accountId, id);
      const name = domain && (await this.names.find(domain));
      const entry = name && (await this.entries.find(accountId, id));
      if (!entry) throw new EntryNotFound();
      entry.end(this.clock.now());
      this.entries.remove(entry);
      await this.unschedule(name, entry);
    });
  }

  private async start(account: Caller['account'], name: DomainName, intervalMinutes: number): Promise<WatchEntry> {
    const held = await this.entries.countForAddition(account.id);
    const existing = await this.entries.findByDomain(account.id, name);
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    account.plan.admitOneMore('entries', held);
    const now = this.clock.now();
    const watched = await this.schedule(name, intervalMinutes, now);
    const { timeScale, watch } = this.config;
    const request = {
      accountId: account.id,
      domain: name,
      intervalMinutes,
      expiringWindowDays: watch.expiringWindowDays,
    };
    const entry = WatchEntry.start(request, watched.recentProof(intervalMinutes, now, timeScale), now);
    this.entries.add(entry);
    return entry;
  }

  private async schedule(name: DomainName, intervalMinutes: number, now: Date): Promise<WatchedName> {
    const known = await this.names.findOrStart(WatchedName.start(name, intervalMinutes, now));
    known.welcome(intervalMinutes, now);
    return known;
  }

  private async unschedule(name: WatchedName, leaving: WatchEntry): Promise<void> {
    const tightest = await this.names.tightestInterval(name.name, leaving.id);
    if (tightest === null) name.rest();
    else name.relax(tightest);
  }

  private async refuse(account: Caller['account'], name: DomainName, cause: unknown): Promise<never> {
    const existing = await this.work.run(() => this.entries.findByDomain(account.id, name));
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    throw cause; // it is gone again: let the caller try once more
  }
}
