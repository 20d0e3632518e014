import {
  DomainName,
  type Evidence,
  type EvidenceSource,
  type LookupResult,
  type LookupFailure,
  type Observation,
  type RegistrationFacts,
  areFactsEqual,
} from '../../domains/language.js';
import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { createDomainEvent } from '../../kernel/domain-event.js';
import { isFromFuture } from '../../kernel/clock.js';
import type { TimeUnits } from '../../kernel/time-units.js';
import { type CheckSchedule, URGENCIES, type Urgency, calculateUrgency } from './check-schedule.js';
import {
  confirm,
  doubt,
  type ConfirmationPolicy,
  type PendingConfirmation,
  type SeenChange,
  statusToConfirm,
  stillValid,
  type StatusTransition,
  transitionTo,
} from './confirmation.js';
import { applyRecord, NO_RECORD, type ParentZoneReports, type RecordUpdate, type RecordState } from './record-rules.js';
import {
  type FailureStreak,
  isRecent,
  type ConfirmedFacts,
  type ConfirmedFactsWithEvidence,
} from './confirmed-facts.js';

const NO_FACTS = { facts: null, source: null, factsSince: null, factsConfirmedAt: null } as const;

const NO_FAILURES = { failures: 0, failingSince: null, failureCode: null } as const;

/** Events about a name belong to no account, because accounts share names. */
const NO_ACCOUNT = '';

/** An event: the stored registration record of a name is no longer current. */
export interface RecordEnd {
  readonly domain: string;
  /** The time of the last answer before the end; null if no lookup was answered. */
  readonly lastSeenAt: Date | null;
}

export type WatchedNameFields = FieldsOf<
  WatchedName,
  'name' | 'isInactive' | 'absentSince' | 'confirmed' | 'failureStreak'
>;

/** Everything known about one name, shared by all entries that watch it, and the time of its next check. */
export class WatchedName extends AggregateRoot<WatchedName> {
  declare readonly domain: string;
  /** Increased by `change`, for optimistic concurrency. */
  declare readonly revision: number;
  declare readonly operator: string;
  declare readonly urgency: Urgency;
  declare readonly intervalMinutes: number;
  /** null if no active entry needs a check. */
  declare readonly nextCheckAt: Date | null;
  declare readonly facts: RegistrationFacts | null;
  declare readonly source: EvidenceSource | null;
  declare readonly factsSince: Date | null;
  declare readonly factsConfirmedAt: Date | null;
  declare readonly pending: PendingConfirmation | null;
  declare readonly recordState: RecordState | null;
  declare readonly lastTransition: StatusTransition | null;
  /** When a lookup was last answered. Failed lookups do not count. */
  declare readonly lastCheckedAt: Date | null;
  declare readonly failures: number;
  declare readonly failingSince: Date | null;
  declare readonly failureCode: string | null;

  private constructor(fields: WatchedNameFields) {
    super();
    this.become(fields);
  }

  /** Creates the name for its first watcher. Its first check is due now. */
  static create(name: DomainName, operator: string, intervalMinutes: number, now: Date): WatchedName {
    const unchecked = { pending: null, recordState: null, lastTransition: null, lastCheckedAt: null };
    const due = { revision: 0, operator, urgency: URGENCIES.routine, intervalMinutes, nextCheckAt: now };
    return new WatchedName({ domain: name.ascii, ...due, ...unchecked, ...NO_FACTS, ...NO_FAILURES });
  }

  static restore(fields: WatchedNameFields): WatchedName {
    return new WatchedName(fields);
  }

  /** Makes the name due now. A name whose checks fail keeps the time of its next check. */
  addWatcher(intervalMinutes: number, now: Date): void {
    // Nobody watched the name until now, so its old failures and record no longer count.
    if (this.isInactive) this.endFormerWatch(now);
    const shortestInterval = this.isInactive ? intervalMinutes : Math.min(intervalMinutes, this.intervalMinutes);
    const nextCheckAt = this.nextCheckAt && this.failures > 0 ? this.nextCheckAt : now;
    this.change({ intervalMinutes: shortestInterval, nextCheckAt });
  }

  /** Forgets pending changes and a "not found", so that old answers do not count when the name is watched again. */
  deactivate(): void {
    this.change({ nextCheckAt: null, pending: null, recordState: null });
    if (this.facts?.outcome === 'absent') this.become(NO_FACTS);
  }

  private endFormerWatch(now: Date): void {
    const { domain, lastCheckedAt: lastSeenAt, failingSince } = this;
    this.become(NO_FAILURES);
    if (!lastSeenAt && !failingSince) return;
    const ended: RecordEnd = { domain, lastSeenAt };
    this.record(createDomainEvent('record.ended', NO_ACCOUNT, now, ended));
  }

  get isInactive(): boolean {
    return this.nextCheckAt === null;
  }

  /** Updates the operator, because a TLD may move to another operator. */
  assignOperator(operator: string): void {
    this.become({ operator });
  }

  /**
   * Applies the shortest interval that entries require. If all are null, no entry needs checks, and the checks stop.
   */
  setRequiredInterval(
    required: readonly (number | null)[],
    schedule: Pick<CheckSchedule, 'withinRequiredInterval'>,
    now: Date,
  ): void {
    const intervals = required.filter((minutes) => minutes !== null);
    if (intervals.length === 0) return this.deactivate();
    const intervalMinutes = Math.min(...intervals);
    const isTighter = intervalMinutes < this.intervalMinutes;
    this.change({ intervalMinutes });
    if (isTighter && this.failures === 0) this.become({ nextCheckAt: schedule.withinRequiredInterval(this, now) });
  }

  /**
   * If two lookups overlap, the later `observedAt` counts.
   * @returns the new facts if they changed, otherwise null
   */
  applyResult(result: LookupResult, schedule: CheckSchedule, now: Date): ConfirmedFactsWithEvidence | null {
    if (this.isStale(result, now)) return this.skipStale(result, schedule, now);
    let factsChange: ConfirmedFactsWithEvidence | null = null;
    if (result.kind === 'observation') {
      factsChange = this.applyObservation({ observation: result, evidence: result.evidence }, schedule, now);
    } else if (isAnswered(result)) this.become(NO_FAILURES);
    else this.recordFailure(result, schedule, now);
    if (result.kind === 'failure') this.applyDoubt(result, schedule, now);
    const lastCheckedAt = isAnswered(result) ? result.observedAt : this.lastCheckedAt;
    this.become({ lastCheckedAt, urgency: calculateUrgency(this) });
    const isAskedForSince = this.isDueSince(result.observedAt, now) && result.kind === 'observation';
    this.change({ nextCheckAt: isAskedForSince ? this.nextCheckAt : schedule.nextCheck(this, result, now) });
    return factsChange;
  }

  /**
   * Call before {@link applyResult}. A name that was "not found" gets no record until its registration is confirmed.
   */
  applyRecord(result: LookupResult, parentZone: ParentZoneReports, schedule: CheckSchedule, now: Date): RecordUpdate[] {
    if (result.kind === 'failure' || !result.record || this.isInactive || this.isStale(result, now)) return [];
    if (this.facts?.outcome === 'absent') return [];
    const seen = { ...result, record: result.record, parentZone, previousFoundAt: this.factsConfirmedAt };
    const { state: recordState, updates } = applyRecord(this.recordState, seen, schedule.recordPolicy(now));
    this.become({ recordState });
    return updates;
  }

  /**
   * Whether a later lookup was already applied. A `lastCheckedAt` in the future does not count: the clock was put back.
   */
  isStale(result: LookupResult, now: Date): boolean {
    const { lastCheckedAt } = this;
    return lastCheckedAt !== null && result.observedAt < lastCheckedAt && !isFromFuture(lastCheckedAt, now);
  }

  /** Returns since when a "not found" waits for a second lookup; null if no "not found" is waiting. */
  get absentSince(): Date | null {
    const { pending } = this;
    return pending?.status === 'available' && pending.waitingFor === 'second_lookup' ? pending.firstSeenAt : null;
  }

  get name(): DomainName {
    return DomainName.restore(this.domain);
  }

  get confirmed(): ConfirmedFacts | null {
    if (!this.facts || !this.source || !this.factsSince || !this.factsConfirmedAt) return null;
    return { facts: this.facts, source: this.source, observedAt: this.factsSince, confirmedAt: this.factsConfirmedAt };
  }

  get failureStreak(): FailureStreak | null {
    if (!this.failingSince || !this.failureCode) return null;
    return { code: this.failureCode, since: this.failingSince, failures: this.failures };
  }

  /** Returns null for facts older than the interval, and for a "not found" older than a minute. */
  recentFacts(intervalMinutes: number, now: Date, units: TimeUnits): ConfirmedFacts | null {
    const { confirmed } = this;
    return confirmed && isRecent(confirmed, intervalMinutes, now, units) ? confirmed : null;
  }

  private applyObservation(seen: SeenChange, schedule: CheckSchedule, now: Date) {
    const { observation, evidence } = seen;
    this.become(NO_FAILURES);
    const policy = schedule.confirmationPolicyFor(this, now);
    const status = statusToConfirm(this.facts, observation.facts, policy, now);
    if (status === null) return this.confirmFacts(observation, observation.observedAt, evidence, policy);
    const valid = stillValid(this.pending, now, policy);
    const confirmation = confirm(seen, status, valid?.status === status ? valid : null, policy);
    if (confirmation.kind === 'confirmed')
      return this.confirmFacts(observation, confirmation.firstSeenAt, confirmation.evidence, policy);
    this.become({ pending: confirmation.pending });
    return null;
  }

  /** Keeps a doubtful "not found" as a pending change. Does nothing if the name is known to be absent. */
  private applyDoubt({ doubt: reason, doubted, evidence }: LookupFailure, schedule: CheckSchedule, now: Date): void {
    if (!reason || !doubted || this.facts?.outcome === 'absent') return;
    const policy = schedule.confirmationPolicyFor(this, now);
    const valid = stillValid(this.pending, now, policy);
    const earlier = valid?.status === 'available' ? valid : null;
    this.become({ pending: doubt({ observation: doubted, evidence }, reason, earlier, policy) });
  }

  private change(changes: Partial<WatchedName>): void {
    this.become({ ...changes, revision: this.revision + 1 });
  }

  /**
   * Whether the name was made due after the registry answered, for example for a new watcher. Such a name stays due.
   */
  private isDueSince(answeredAt: Date, now: Date): boolean {
    return this.nextCheckAt !== null && this.nextCheckAt > answeredAt && this.nextCheckAt <= now;
  }

  /** Ignores the result, but postpones a due check, so that the name is not checked without pause. */
  private skipStale({ observedAt }: LookupResult, schedule: CheckSchedule, now: Date): null {
    if (this.nextCheckAt && this.nextCheckAt <= now && !this.isDueSince(observedAt, now))
      this.change({ nextCheckAt: schedule.afterStaleResult(now) });
    return null;
  }

  private confirmFacts(
    observation: Observation,
    firstSeenAt: Date,
    evidence: readonly Evidence[],
    policy: ConfirmationPolicy,
  ): ConfirmedFactsWithEvidence | null {
    const { facts: previousFacts, factsConfirmedAt: previousConfirmedAt, lastTransition } = this;
    const changed = !previousFacts || !areFactsEqual(previousFacts, observation.facts);
    this.become({
      facts: changed ? observation.facts : previousFacts,
      source: observation.source,
      factsSince: changed ? firstSeenAt : this.factsSince,
      factsConfirmedAt: observation.observedAt,
      pending: null,
      recordState: observation.facts.outcome === 'found' ? this.recordState : NO_RECORD,
      lastTransition:
        changed && previousFacts ? transitionTo(observation, previousFacts, lastTransition, policy) : lastTransition,
    });
    const { confirmed } = this;
    return changed && confirmed ? { ...confirmed, previousConfirmedAt, evidence } : null;
  }

  private recordFailure(failure: LookupFailure, schedule: CheckSchedule, now: Date): void {
    if (failure.notSent === 'budget') return; // our own rate limit stopped the request before it was sent
    this.become({
      failures: this.failures + 1,
      failingSince: this.failingSince ?? failure.observedAt,
      failureCode: failure.code,
      pending: stillValid(this.pending, now, schedule.confirmationPolicyFor(this, now)),
    });
  }
}

/** Whether the registry answered. A "not found" that only the parent zone contradicts (`in_zone`) also counts. */
function isAnswered(result: LookupResult): boolean {
  return result.kind === 'observation' || result.doubt === 'in_zone';
}
