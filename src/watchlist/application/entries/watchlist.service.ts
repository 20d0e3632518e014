import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { WatchConfig } from '../../../config/sections.js';
import { CheckDomain, OperatorQuotaService } from '../../../domains/index.js';
import type { DomainName } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import { PreconditionFailed } from '../../../kernel/precondition-failed.js';
import { TimeUnits } from '../../../kernel/time-units.js';
import { UniqueConstraintViolated, UnitOfWork } from '../../../kernel/unit-of-work.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import {
  type ConfirmedFacts,
  visibleFactsWithEvidence,
  type ConfirmedFactsWithEvidence,
} from '../../domain/watched-name/confirmed-facts.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import { WatchEntry } from '../../domain/entry/watch-entry.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';
import { WatchedName } from '../../domain/watched-name/watched-name.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';
import { AlreadyWatched, EntryNotFound } from '../../domain/watchlist.errors.js';
import { omitUndefined, type EntrySettingsInput, withDefaults } from './entry-settings.js';

const UNIQUE_WATCH_CONSTRAINT = 'one_watch_per_account';

/** Adds, changes and removes watchlist entries. No registry is queried here; the next check does that. */
@Injectable()
export class WatchlistService {
  constructor(
    private readonly checks: CheckDomain,
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly budgets: OperatorQuotaService,
    private readonly schedule: CheckSchedule,
    private readonly config: WatchConfig,
    private readonly units: TimeUnits,
  ) {}

  /** @throws InvalidDomainNameError, IntervalNotAllowed, AlreadyWatched, PlanLimitReached; then nothing is written */
  async add(account: Caller['account'], domain: string, input: EntrySettingsInput = {}): Promise<WatchEntry> {
    const name = this.checks.parse(domain);
    const settings = withDefaults(input, account.plan, this.config);
    try {
      return await this.work.run(() => this.createEntry(account, name, settings));
    } catch (error) {
      // Two concurrent requests saw no entry; the unique key accepted one.
      if (error instanceof UniqueConstraintViolated && error.constraint === UNIQUE_WATCH_CONSTRAINT)
        return this.rejectDuplicate(account, name, error);
      throw error;
    }
  }

  /**
   * @param isExpected precondition, evaluated under the lock
   * @throws EntryNotFound, PreconditionFailed, IntervalNotAllowed; then nothing is written
   */
  async change(
    account: Caller['account'],
    id: string,
    input: EntrySettingsInput,
    isExpected: (entry: WatchEntry) => boolean = () => true,
  ): Promise<void> {
    await this.work.run(async () => {
      const { name, entry } = await this.loadForUpdate(account.id, id);
      if (!isExpected(entry)) throw new PreconditionFailed();
      const settings = omitUndefined(input);
      if (settings.intervalMinutes !== undefined && settings.intervalMinutes !== entry.intervalMinutes)
        account.plan.resolveInterval(settings.intervalMinutes);
      const now = this.clock.now();
      const isResumed = entry.paused && settings.paused === false;
      const requiredInterval = entry.requiredIntervalFor(settings.intervalMinutes ?? entry.intervalMinutes);
      const recent = this.isHiddenByIsolation(name, entry, isResumed)
        ? null
        : name.recentFacts(requiredInterval, now, this.units);
      // For an active entry the last check confirmed both the current and the previous state.
      const dates = recent && !isResumed && { observedAt: recent.confirmedAt, previousConfirmedAt: recent.confirmedAt };
      const evidenced = await this.withEvidence(name, recent);
      const visible =
        evidenced && this.config.accountIsolation ? visibleFactsWithEvidence(evidenced, entry.createdAt) : evidenced;
      entry.revise(
        settings,
        { recent: visible && { ...visible, ...dates }, lastConfirmedAt: name.factsConfirmedAt },
        now,
      );
      await this.reschedule(name, entry, entry.paused ? null : entry.requiredIntervalMinutes);
      if (isResumed) name.addWatcher(entry.requiredIntervalMinutes, now);
    });
  }

  /**
   * @param isExpected precondition, evaluated under the lock
   * @throws EntryNotFound for an unknown id or another account's, PreconditionFailed
   */
  remove(accountId: string, id: string, isExpected: (entry: WatchEntry) => boolean = () => true): Promise<void> {
    return this.work.run(async () => {
      const { name, entry } = await this.loadForUpdate(accountId, id);
      if (!isExpected(entry)) throw new PreconditionFailed();
      entry.remove(this.clock.now());
      this.entries.remove(entry);
      await this.reschedule(name, entry, null);
    });
  }

  /** With isolated accounts: whether the facts are from a time when the entry did not exist or was paused. */
  private isHiddenByIsolation({ factsConfirmedAt }: WatchedName, entry: WatchEntry, isResumed: boolean): boolean {
    return (
      this.config.accountIsolation && (isResumed || (factsConfirmedAt !== null && factsConfirmedAt < entry.createdAt))
    );
  }

  private async loadForUpdate(accountId: string, id: string): Promise<{ name: WatchedName; entry: WatchEntry }> {
    // Locks the name first, like every writer of results: the other order would deadlock.
    const domain = await this.entries.findDomain(accountId, id);
    const name = domain && (await this.names.findForUpdate(domain));
    const entry = name && (await this.entries.findForUpdate(accountId, id));
    if (!entry) throw new EntryNotFound();
    return { name, entry };
  }

  private async createEntry(
    account: Caller['account'],
    name: DomainName,
    settings: EntrySettings,
  ): Promise<WatchEntry> {
    const entryCount = await this.entries.lockAndCount(account.id);
    const existing = await this.entries.findByDomain(account.id, name);
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    account.plan.requireRoomFor('entries', entryCount);
    const now = this.clock.now();
    const { intervalMinutes } = settings;
    const watched = await this.names.findOrCreate(
      WatchedName.create(name, this.budgets.operatorOf(name), intervalMinutes, now),
    );
    watched.addWatcher(intervalMinutes, now);
    const recent = this.config.accountIsolation ? null : watched.recentFacts(intervalMinutes, now, this.units);
    const request = { ...settings, accountId: account.id, domain: name };
    const entry = WatchEntry.start(request, await this.withEvidence(watched, recent), now);
    this.entries.add(entry);
    if (entry.paused) await this.reschedule(watched, entry, null);
    return entry;
  }

  private async withEvidence(
    { name }: WatchedName,
    confirmed: ConfirmedFacts | null,
  ): Promise<ConfirmedFactsWithEvidence | null> {
    return confirmed && { ...confirmed, previousConfirmedAt: null, evidence: await this.names.findEvidence(name) };
  }

  /** @param requiredInterval of this entry; null when it needs no checks any more */
  private async reschedule(name: WatchedName, entry: WatchEntry, requiredInterval: number | null): Promise<void> {
    const others = await this.names.shortestInterval(name.name, entry.id);
    const shortest = Math.min(others ?? Infinity, requiredInterval ?? Infinity);
    if (shortest === Infinity) name.deactivate();
    else name.setRequiredInterval(shortest, this.schedule, this.clock.now());
  }

  private async rejectDuplicate(account: Caller['account'], name: DomainName, cause: unknown): Promise<never> {
    const existing = await this.work.run(() => this.entries.findByDomain(account.id, name));
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    throw cause; // removed meanwhile: the caller may retry
  }
}
