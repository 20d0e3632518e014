import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../auth/index.js';
import { Config } from '../../../config/config.js';
import { CheckDomain, OperatorQuotaService } from '../../../domains/index.js';
import type { DomainName } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import { PreconditionFailed } from '../../../kernel/precondition-failed.js';
import { UniqueConstraintViolated, UnitOfWork } from '../../../kernel/unit-of-work.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import {
  type ConfirmedFacts,
  visibleEvidencedFacts,
  type EvidencedFacts,
} from '../../domain/watched-name/confirmed-facts.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import { WatchEntry } from '../../domain/entry/watch-entry.js';
import type { EntrySettings } from '../../domain/entry/entry-settings.js';
import { WatchedName } from '../../domain/watched-name/watched-name.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';
import { AlreadyWatched, EntryNotFound } from '../../domain/watchlist.errors.js';
import { omitUndefined, type EntrySettingsInput, withDefaults } from './entry-settings.js';

const ONE_WATCH_EACH = 'one_watch_per_account';

/** Puts names on an account's watchlist and takes them off. No registry is asked here; the next tick does that. */
@Injectable()
export class WatchlistService {
  constructor(
    private readonly checks: CheckDomain,
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly budgets: OperatorQuotaService,
    private readonly cadence: CheckSchedule,
    private readonly config: Config,
  ) {}

  /** @throws InvalidDomainNameError, IntervalNotAllowed, AlreadyWatched, PlanLimitReached; then nothing is written. */
  async add(account: Caller['account'], domain: string, asked: EntrySettingsInput = {}): Promise<WatchEntry> {
    const name = this.checks.parse(domain);
    const wishes = withDefaults(asked, account.plan, this.config);
    try {
      return await this.work.run(() => this.start(account, name, wishes));
    } catch (error) {
      // Two requests at once both saw no entry; the unique key let one through.
      if (error instanceof UniqueConstraintViolated && error.constraint === ONE_WATCH_EACH)
        return this.refuse(account, name, error);
      throw error;
    }
  }

  /**
   * @param isExpected whether the entry is still as the caller saw it, asked while nobody else can change it
   * @throws EntryNotFound, PreconditionFailed, IntervalNotAllowed; then nothing is written.
   */
  async change(
    account: Caller['account'],
    id: string,
    asked: EntrySettingsInput,
    isExpected: (entry: WatchEntry) => boolean = () => true,
  ): Promise<void> {
    await this.work.run(async () => {
      const { name, entry } = await this.own(account.id, id);
      if (!isExpected(entry)) throw new PreconditionFailed();
      const wishes = omitUndefined(asked);
      if (wishes.intervalMinutes !== undefined && wishes.intervalMinutes !== entry.intervalMinutes)
        account.plan.resolveInterval(wishes.intervalMinutes);
      const now = this.clock.now();
      const resumes = entry.paused && wishes.paused === false;
      const promised = entry.promisedMinutesWith(wishes.intervalMinutes ?? entry.intervalMinutes);
      const recent = this.isOthersNews(name, entry, resumes)
        ? null
        : name.recentProof(promised, now, this.config.timeScale);
      // While the entry was not paused, what holds now was last proven, and its former state too, by the last look.
      const dates = recent && !resumes && { observedAt: recent.confirmedAt, formerProofAt: recent.confirmedAt };
      const known = await this.testimonyOf(name, recent);
      const seen = known && this.config.accountIsolation ? visibleEvidencedFacts(known, entry.createdAt) : known;
      entry.revise(wishes, { recent: seen && { ...seen, ...dates }, provenAt: name.proofAt }, now);
      await this.reschedule(name, entry, entry.paused ? null : entry.promisedMinutes);
      if (resumes) name.welcome(entry.promisedMinutes, now);
    });
  }

  /** @throws EntryNotFound for an id that is not there, another account's included. */
  remove(accountId: string, id: string): Promise<void> {
    return this.work.run(async () => {
      const { name, entry } = await this.own(accountId, id);
      entry.end(this.clock.now());
      this.entries.remove(entry);
      await this.reschedule(name, entry, null);
    });
  }

  /** Where accounts are isolated from each other: what was found out while the entry was not there, or paused. */
  private isOthersNews({ proofAt }: WatchedName, entry: WatchEntry, resumes: boolean): boolean {
    return this.config.accountIsolation && (resumes || (proofAt !== null && proofAt < entry.createdAt));
  }

  private async own(accountId: string, id: string): Promise<{ name: WatchedName; entry: WatchEntry }> {
    // The name is locked first, as by those who record looks: in the other order the two would wait for each other.
    const domain = await this.entries.domainOf(accountId, id);
    const name = domain && (await this.names.find(domain));
    const entry = name && (await this.entries.find(accountId, id));
    if (!entry) throw new EntryNotFound();
    return { name, entry };
  }

  private async start(account: Caller['account'], name: DomainName, wishes: EntrySettings): Promise<WatchEntry> {
    const held = await this.entries.countForAddition(account.id);
    const existing = await this.entries.findByDomain(account.id, name);
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    account.plan.requireRoomFor('entries', held);
    const now = this.clock.now();
    const { intervalMinutes } = wishes;
    const watched = await this.names.findOrStart(
      WatchedName.start(name, this.budgets.operatorOf(name), intervalMinutes, now),
    );
    watched.welcome(intervalMinutes, now);
    const { accountIsolation, timeScale } = this.config;
    const recent = accountIsolation ? null : watched.recentProof(intervalMinutes, now, timeScale);
    const request = { ...wishes, accountId: account.id, domain: name };
    const entry = WatchEntry.start(request, await this.testimonyOf(watched, recent), now);
    this.entries.add(entry);
    if (entry.paused) await this.reschedule(watched, entry, null);
    return entry;
  }

  private async testimonyOf({ name }: WatchedName, proof: ConfirmedFacts | null): Promise<EvidencedFacts | null> {
    return proof && { ...proof, formerProofAt: null, evidence: await this.names.evidenceOf(name) };
  }

  /** @param wanted the interval that the entry wants looks at, null when it wants none any more */
  private async reschedule(name: WatchedName, entry: WatchEntry, wanted: number | null): Promise<void> {
    const others = await this.names.tightestInterval(name.name, entry.id);
    const tightest = Math.min(others ?? Infinity, wanted ?? Infinity);
    if (tightest === Infinity) name.rest();
    else name.promise(tightest, this.cadence, this.clock.now());
  }

  private async refuse(account: Caller['account'], name: DomainName, cause: unknown): Promise<never> {
    const existing = await this.work.run(() => this.entries.findByDomain(account.id, name));
    if (existing) throw new AlreadyWatched(name.ascii, existing.id);
    throw cause; // it is gone again: let the caller try once more
  }
}
