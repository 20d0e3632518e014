import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import type { DomainName, LookupResult, LookupFailure } from '../../domains/language.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { FailureAlertPolicy } from '../domain/failure-alert-policy.js';
import { type Lease, LeaseRepository } from './leases.repository.js';
import type { ConfirmedFactsWithEvidence, FailureStreak } from '../domain/confirmed-facts.js';
import { confirmedSince, evidencedSince, failuresSince } from '../domain/visibility.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import type { ParentZoneReports } from '../domain/record-rules.js';
import type { WatchedName } from '../domain/watched-name.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { ApplyRecordUpdates } from '../records/apply-record-updates.js';

/** Applies a check result to a name, its watchlist entries and their events, all in one transaction. */
@Injectable()
export class ApplyCheckResult {
  constructor(
    private readonly names: WatchedNameRepository,
    private readonly entries: WatchEntryRepository,
    private readonly leases: LeaseRepository,
    private readonly schedule: CheckSchedule,
    private readonly alertPolicy: FailureAlertPolicy,
    private readonly rateLimits: OperatorRateLimits,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly records: ApplyRecordUpdates,
  ) {}

  /**
   * Needs a lease (time-limited lock). If the lease has expired, writes nothing and returns false: another worker
   * checks the name.
   */
  applyLeased(
    name: DomainName,
    result: LookupResult,
    lease: Lease,
    parentZone: ParentZoneReports = {},
  ): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.leases.end(lease))) return false;
      await this.apply(name, result, parentZone);
      return true;
    });
  }

  /**
   * Applies the result only if the account watches the name. Accounts that watch the name must not notice a stranger's
   * check.
   */
  async applyCheck(name: DomainName, result: LookupResult, accountId: string): Promise<void> {
    if (await this.entries.isWatching(accountId, name, this.clock.now())) await this.applyUnleased(name, result);
  }

  /** Ends the lease of a name whose check could not start. If nobody watches the name, also stops its checks. */
  async rest(name: DomainName, lease: Lease): Promise<void> {
    await this.work.run(async () => {
      if (!(await this.leases.end(lease))) return;
      const watched = await this.names.findForUpdate(name);
      if (!watched || watched.isInactive) return;
      const intervals = await this.names.shortestIntervals([name.ascii]);
      if (!intervals.has(name.ascii)) watched.deactivate();
    });
  }

  /** Applies the result of a check without a lease (time-limited lock), for example a check that a person requested. */
  async applyUnleased(name: DomainName, result: LookupResult): Promise<void> {
    if (result.kind === 'failure' && result.notSent) return;
    await this.work.run(() => this.apply(name, result));
  }

  private async apply(name: DomainName, result: LookupResult, parentZone: ParentZoneReports = {}): Promise<void> {
    const watched = await this.names.findForUpdate(name);
    if (!watched || watched.isInactive) return;
    const now = this.clock.now();
    watched.assignOperator(this.rateLimits.operatorOf(name));
    if (watched.isStale(result, now)) return void watched.applyResult(result, this.schedule, now);
    const { failureStreak: previousStreak, factsConfirmedAt: previousConfirmedAt } = watched;
    const earlier = { recordState: watched.recordState, factsConfirmedAt: previousConfirmedAt };
    const recordUpdates = watched.applyRecord(result, parentZone, this.schedule, now);
    const factsChange = watched.applyResult(result, this.schedule, now);
    await this.entries.copyShown(watched);
    if (result.kind === 'failure' && result.doubt !== 'in_zone') return this.notifyFailing(watched, result, now);
    if (previousStreak && this.alertPolicy.mayAlert(previousStreak))
      await this.notifyRecovered(watched, previousStreak, now);
    if (result.kind === 'failure') return; // a failure changes no entry's status
    if (factsChange) await this.names.saveEvidence(name, factsChange.evidence);
    // A result that is not confirmed yet changes no entry. The confirmed facts are then older than the result.
    if (watched.factsConfirmedAt?.getTime() !== result.observedAt.getTime()) return;
    const routine = { previousConfirmedAt, evidence: result.evidence };
    const { asking, isShownFirst } = await this.applyToEntries(watched, factsChange, routine, now);
    // Comes after the entries, so that events about the registration record show the new status.
    await this.records.run(watched, recordUpdates, { seen: result, earlier, asking, now });
    if (factsChange && factsChange.facts.outcome !== 'found') await this.records.end(watched, previousConfirmedAt);
    else if (isShownFirst || recordUpdates.length > 0) await this.records.compare(watched);
  }

  /**
   * @returns `asking`: the ids of entries whose watchers asked to be notified of the current state. `isShownFirst`:
   * whether an entry gets its first facts
   */
  private async applyToEntries(
    watched: WatchedName,
    factsChange: ConfirmedFactsWithEvidence | null,
    routine: Pick<ConfirmedFactsWithEvidence, 'previousConfirmedAt' | 'evidence'>,
    now: Date,
  ): Promise<{ readonly asking: ReadonlySet<string>; readonly isShownFirst: boolean }> {
    const asking = new Set<string>();
    const { confirmed } = watched;
    if (!confirmed) return { asking, isShownFirst: false };
    // If time alone changes an entry, the evidence is this check, not the check that confirmed the facts.
    const evidenced = factsChange ?? { ...confirmed, observedAt: confirmed.confirmedAt, ...routine };
    // If the facts are unchanged, reads only entries whose state may change now because time has passed.
    const boundary = factsChange ? undefined : now;
    const entries = await this.entries.findActiveForUpdate(watched.name, boundary);
    const isShownFirst = entries.some(({ hasConfirmedFacts }) => !hasConfirmedFacts);
    for (const entry of entries) {
      if (entry.firstAnswer === 'told') asking.add(entry.id);
      entry.applyFacts(evidencedSince(entry, evidenced), now);
    }
    return { asking, isShownFirst };
  }

  private async notifyFailing(watched: WatchedName, { notSent }: LookupFailure, now: Date): Promise<void> {
    const { failureStreak: streak, confirmed, operator, intervalMinutes } = watched;
    if (!streak || !this.alertPolicy.mayAlert(streak)) return;
    const isRegistryDown = notSent !== undefined || (await this.rateLimits.status(operator)).breaker !== 'closed';
    for (const entry of await this.entries.findByFailureNotified(watched.name, false)) {
      const visible = failuresSince(entry, streak);
      const sinceVisible = { ...streak, since: visible.since };
      if (
        this.alertPolicy.shouldAlert(
          Math.max(entry.intervalMinutes, intervalMinutes),
          sinceVisible,
          isRegistryDown,
          now,
        )
      )
        entry.notifyFailing(visible, confirmedSince(entry, confirmed), now);
    }
  }

  private async notifyRecovered(watched: WatchedName, streak: FailureStreak, now: Date): Promise<void> {
    for (const entry of await this.entries.findByFailureNotified(watched.name, true)) {
      const confirmed = confirmedSince(entry, watched.confirmed);
      entry.notifyRecovered(failuresSince(entry, streak), confirmed, now);
    }
  }
}
