import { Injectable } from '@nestjs/common';
import { AuditTrail, type Caller } from '../../auth/index.js';
import { WatchConfig } from '../../config/sections.js';
import { CheckDomain, OperatorRateLimits } from '../../domains/index.js';
import type { DomainName } from '../../domains/language.js';
import { Clock } from '../../kernel/clock.js';
import { PreconditionFailed } from '../../kernel/domain-error.js';
import { UniqueConstraintViolated, UnitOfWork } from '../../kernel/unit-of-work.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { WatchEntry, AlreadyWatched, EntryNotFound } from '../domain/watch-entry.js';
import { type EntrySettings, type EntrySettingsInput, withDefaults } from '../domain/entry-settings.js';
import { WatchedName } from '../domain/watched-name.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { entryAdded, entryChanged, entryRemoved, toAuditedEntry } from './entry-audit.js';
import { EntryBatch, type LockedEntry } from './entry-batch.js';
import { Tracer } from '../../kernel/tracing/tracer.js';
import { EntryRevision } from './entry-revision.js';

const UNIQUE_WATCH_CONSTRAINT = 'one_entry_per_account_and_domain';

/** Adds, changes and removes watchlist entries, each with a record of who did it. No registry is queried here; the next check does that. */
@Injectable()
export class WatchlistService {
  constructor(
    private readonly checks: CheckDomain,
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly batches: EntryBatch,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly budgets: OperatorRateLimits,
    private readonly revision: EntryRevision,
    private readonly audit: AuditTrail,
    private readonly config: WatchConfig,
    private readonly tracer: Tracer,
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
      const locked = await this.loadForUpdate(account.id, id);
      if (!isExpected(locked.entry)) throw new PreconditionFailed();
      const former = toAuditedEntry(locked.entry);
      await this.revision.revise(account, locked, input);
      const act = entryChanged(locked.entry, former);
      if (act) await this.audit.record(act);
    });
  }

  /** @throws EntryNotFound for an unknown id or another account's */
  remove(accountId: string, id: string): Promise<void> {
    return this.work.run(async () => {
      const locked = await this.loadForUpdate(accountId, id);
      await this.revision.remove([locked]);
      await this.audit.record(entryRemoved(locked.entry));
    });
  }

  private async loadForUpdate(accountId: string, id: string): Promise<LockedEntry> {
    const domain = await this.entries.findDomain(accountId, id);
    const locked = domain && (await this.batches.lockOne(accountId, domain));
    if (locked?.entry.id !== id) throw new EntryNotFound(); // also where the name was added again meanwhile
    return locked;
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
    const request = { ...settings, accountId: account.id, domain: name };
    const entry = WatchEntry.start(request, now);
    this.entries.add(entry);
    await this.audit.record(entryAdded(entry));
    const { traceparent } = this.tracer;
    if (traceparent !== null) await this.names.continueTrace(name, traceparent);
    if (entry.paused) {
      const others = await this.names.shortestIntervals([name.ascii], account.id);
      this.revision.reschedule(watched, others.get(name.ascii) ?? null, null);
    }
    return entry;
  }

  private async rejectDuplicate(account: Caller['account'], name: DomainName, cause: unknown): Promise<never> {
    const existing = await this.work.run(() => this.entries.findByDomain(account.id, name));
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    throw cause; // removed meanwhile: the caller may retry
  }
}
