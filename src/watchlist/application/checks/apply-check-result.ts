import { Injectable, Logger } from '@nestjs/common';
import { IsolationConfig } from '../../../config/sections.js';
import { OperatorQuotaService } from '../../../domains/index.js';
import type { DomainName, LookupResult, LookupFailure } from '../../../domains/language.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import type { DropBrake } from '../../domain/policies/drop-brake.js';
import { DropBrakeRepository } from '../ports/drop-brake-repository.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import { FailureAlertPolicy } from '../../domain/policies/failure-alert-policy.js';
import { type Lease, LeaseRepository } from '../ports/lease-repository.js';
import {
  type FailureStreak,
  visibleFailureStreak,
  type ConfirmedFacts,
  visibleFacts,
  visibleEvidencedFacts,
  type EvidencedFacts,
} from '../../domain/watched-name/confirmed-facts.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import type { WatchEntry } from '../../domain/entry/watch-entry.js';
import type { WatchedName } from '../../domain/watched-name/watched-name.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';

/** Records what a look told: the facts, the entries they move, and the events of those moves, in one transaction. */
@Injectable()
export class ApplyCheckResult {
  private readonly log = new Logger(ApplyCheckResult.name);

  constructor(
    private readonly names: WatchedNameRepository,
    private readonly entries: WatchEntryRepository,
    private readonly leases: LeaseRepository,
    private readonly cadence: CheckSchedule,
    private readonly patience: FailureAlertPolicy,
    private readonly budgets: OperatorQuotaService,
    private readonly brakes: DropBrakeRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: IsolationConfig,
  ) {}

  /**
   * The outcome of a look that a job made under a lease.
   * @returns false when the lease had run out: another worker looks by now, and this one writes nothing.
   */
  recordLeased(name: DomainName, look: LookupResult, lease: Lease): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.leases.end(lease))) return false;
      await this.observe(name, look);
      return true;
    });
  }

  /**
   * The outcome of a check that a person asked for; news for the watch too, if there is one.
   * @param asker where accounts are isolated from each other: others must not see when it was
   */
  async recordCheck(name: DomainName, look: LookupResult, asker: string | null = null): Promise<void> {
    if (look.kind === 'failure' && look.notSent) return; // nobody was asked: that is between us and the caller
    if (!(await this.names.isWatched(name))) return;
    if (asker !== null && !(await this.entries.watches(asker, name, this.clock.now()))) return;
    await this.work.run(() => this.observe(name, look));
  }

  private async observe(name: DomainName, look: LookupResult): Promise<void> {
    const watched = await this.names.find(name);
    if (!watched || watched.resting) return;
    const now = this.clock.now();
    if (watched.isOvertaken(look)) return void watched.observe(look, this.cadence, now);
    const { failing, proofAt } = watched;
    watched.isRunBy(this.budgets.operatorOf(name));
    const brake = watched.dropsSuddenlyBy(look) ? await this.brakes.of(watched.operator, name.tld, now) : null;
    const news = watched.observe(look, this.cadence, now, brake);
    if (brake) await this.note(brake, watched, news !== null, now);
    if (look.kind === 'failure' && !look.dnsVetoed) return this.tellFailing(watched, look, now);
    if (failing && this.patience.mayEnd(failing)) await this.tellRecovered(watched, failing, now);
    if (look.kind === 'failure') return; // a veto moves no entry, not even one whose time has come
    if (news) await this.names.keepEvidence(name, news.evidence);
    // One that contradicts the facts and waits for its confirmation moves no entry either: they are old by now.
    if (watched.proofAt?.getTime() !== look.observedAt.getTime()) return;
    await this.moveEntries(watched, news, { formerProofAt: proofAt, evidence: look.evidence }, now);
  }

  private async note(brake: DropBrake, { pending, operator }: WatchedName, dropped: boolean, now: Date): Promise<void> {
    if (dropped) await this.brakes.countDrop(operator, now);
    if (pending?.waitingFor !== 'canary' || brake.state.heldSince) return;
    this.log.warn({ operator, tld: brake.state.tld }, 'too many names drop at once: its canaries are asked first');
    await this.brakes.hold(brake.state, now);
  }

  /** New facts touch every entry; a routine look only those whose boundary time has passed. */
  private async moveEntries(
    watched: WatchedName,
    news: EvidencedFacts | null,
    routine: Pick<EvidencedFacts, 'formerProofAt' | 'evidence'>,
    now: Date,
  ): Promise<void> {
    const { proven } = watched;
    if (!proven) return;
    // What time alone brings about is first proven by this look, however long its facts have been known.
    const testimony = news ?? { ...proven, observedAt: proven.confirmedAt, ...routine };
    for (const entry of await this.touched(watched, news !== null, now))
      entry.apply(this.config.accountIsolation ? visibleEvidencedFacts(testimony, entry.createdAt) : testimony, now);
  }

  private touched({ name }: WatchedName, isNews: boolean, now: Date): Promise<WatchEntry[]> {
    return isNews ? this.entries.watching(name) : this.entries.watching(name, now);
  }

  private async tellFailing(watched: WatchedName, { notSent: withheld }: LookupFailure, now: Date): Promise<void> {
    const { failing, proven, operator } = watched;
    const isOperatorAway = withheld !== undefined || this.budgets.status(operator).breaker !== 'closed';
    if (!failing || !this.patience.mayEnd(failing)) return;
    for (const entry of await this.entries.toldOfFailing(watched.name, false)) {
      const seen = this.seenBy(entry, failing, proven);
      const lasting = { ...failing, since: seen.failing.since };
      if (this.patience.endsFor(entry.promisedMinutes, lasting, isOperatorAway, now))
        entry.tellFailing(seen.failing, seen.proven, now);
    }
  }

  private async tellRecovered(watched: WatchedName, failing: FailureStreak, now: Date): Promise<void> {
    const { proven } = watched;
    for (const entry of await this.entries.toldOfFailing(watched.name, true)) {
      const seen = this.seenBy(entry, failing, proven);
      entry.tellRecovered(seen.failing, seen.proven, now);
    }
  }

  /** Where accounts are isolated from each other, an entry knows nothing from before it was there. */
  private seenBy({ createdAt }: WatchEntry, failing: FailureStreak, proven: ConfirmedFacts | null) {
    if (!this.config.accountIsolation) return { failing, proven };
    return { failing: visibleFailureStreak(failing, createdAt), proven: visibleFacts(proven, createdAt) };
  }
}
