import {
  DomainName,
  type Evidence,
  type EvidenceSource,
  isBeingDeleted,
  type LookupResult,
  type LookupFailure,
  type Observation,
  type RegistrationFacts,
  areFactsEqual,
} from '../../../domains/language.js';
import { AggregateRoot, type FieldsOf } from '../../../kernel/aggregate-root.js';
import { after } from '../../../kernel/clock.js';
import type { CheckSchedule } from '../policies/check-schedule.js';
import type { DropBrake } from '../policies/drop-brake.js';
import {
  confirm,
  holdForCanary,
  type ConfirmationPolicy,
  type PendingConfirmation,
  type CandidateChange,
  statusToConfirm,
  stillValid,
} from './confirmation.js';
import { type StatusTransition, transitionTo } from './flapping.js';
import { type FailureStreak, isRecent, type ConfirmedFacts, type EvidencedFacts } from './confirmed-facts.js';
import { URGENCIES, type Urgency, calculateUrgency } from './urgency.js';

type Derived = 'name' | 'resting' | 'proven' | 'failing';
export type WatchedNameFields = FieldsOf<WatchedName, Derived>;

/**
 * What is known about one name, shared by all entries that watch it, and when to look next.
 *
 * A registration is believed at once. An absence has to be confirmed, and so has what no lifecycle knows: a name that
 * was available and is being deleted. A look between that finds otherwise clears it, silently. A failure changes no
 * fact: it only counts, and brings the next look forward or back. A veto of DNS is no failure: the registry answered.
 */
export class WatchedName extends AggregateRoot<WatchedName> {
  /** The A-label. */
  declare readonly domain: string;
  /** Raised by every change, so that whoever read it earlier knows that somebody was faster. */
  declare readonly revision: number;
  /** Whose registry it is in, and so whose budget a look takes from. */
  declare readonly operator: string;
  declare readonly urgency: Urgency;
  declare readonly intervalMinutes: number;
  /** null: nobody watches it, no look is due. */
  declare readonly nextCheckAt: Date | null;
  declare readonly facts: RegistrationFacts | null;
  declare readonly source: EvidenceSource | null;
  /** When the facts of now were first and last proven. */
  declare readonly provenSince: Date | null;
  declare readonly proofAt: Date | null;
  declare readonly pending: PendingConfirmation | null;
  declare readonly lastTurn: StatusTransition | null;
  /** When the registry was last asked with success; a look that failed leaves it. */
  declare readonly lastCheckedAt: Date | null;
  declare readonly failures: number;
  declare readonly failingSince: Date | null;
  declare readonly failureCode: string | null;

  private constructor(fields: WatchedNameFields) {
    super();
    this.become(fields);
  }

  /** The first watcher came: to be looked at now. */
  static start(name: DomainName, operator: string, intervalMinutes: number, now: Date): WatchedName {
    const unknown = { facts: null, source: null, provenSince: null, proofAt: null, pending: null, lastTurn: null };
    const unfailing = { lastCheckedAt: null, failures: 0, failingSince: null, failureCode: null };
    const due = { revision: 0, operator, urgency: URGENCIES.routine, intervalMinutes, nextCheckAt: now };
    return new WatchedName({ domain: name.ascii, ...due, ...unknown, ...unfailing });
  }

  /** As it was stored. */
  static restore(fields: WatchedNameFields): WatchedName {
    return new WatchedName(fields);
  }

  /** Another watcher came: it wants a look now, unless the registry is failing and its next look is set for that. */
  welcome(intervalMinutes: number, now: Date): void {
    const tightest = this.resting ? intervalMinutes : Math.min(intervalMinutes, this.intervalMinutes);
    const nextCheckAt = this.nextCheckAt && this.failures > 0 ? this.nextCheckAt : now;
    this.change({ intervalMinutes: tightest, nextCheckAt });
  }

  /**
   * The last watcher went: no look is due any more. A registration stays known, should a watcher come back; an absence
   * does not, since whoever comes back later must not take one witness of today for the second of long ago.
   */
  rest(): void {
    this.change({ nextCheckAt: null, pending: null, failures: 0, failingSince: null, failureCode: null });
    if (this.facts?.outcome === 'absent') this.become({ facts: null, source: null, provenSince: null, proofAt: null });
  }

  get resting(): boolean {
    return this.nextCheckAt === null;
  }

  /** Registries change hands, and TLDs their servers. */
  isRunBy(operator: string): void {
    this.become({ operator });
  }

  /** Watchers went, or changed their minds: the tightest interval of those who stay is the promise. */
  promise(intervalMinutes: number, cadence: Pick<CheckSchedule, 'noLaterThanPromised'>, now: Date): void {
    const isTighter = intervalMinutes < this.intervalMinutes;
    this.change({ intervalMinutes });
    if (isTighter && this.failures === 0) this.become({ nextCheckAt: cadence.noLaterThanPromised(this, now) });
  }

  /**
   * Takes the outcome of a look. Of two that overlapped, the one that asked later counts, whichever is recorded first:
   * an old answer is no news.
   * @param brake of its TLD, where a sudden drop may have to wait for more than its two witnesses
   * @returns the facts, when they changed; null when this look told nothing new.
   */
  observe(
    look: LookupResult,
    cadence: CheckSchedule,
    now: Date,
    brake: DropBrake | null = null,
  ): EvidencedFacts | null {
    if (this.isOvertaken(look)) return this.letPass(cadence, now);
    const news = this.take(look, cadence, now, brake);
    const isAnswered = look.kind === 'observation' || look.dnsVetoed !== undefined;
    this.become({ lastCheckedAt: isAnswered ? look.observedAt : this.lastCheckedAt, urgency: calculateUrgency(this) });
    this.change({ nextCheckAt: cadence.nextLook(this, look, now) });
    return news;
  }

  /** Whether a later look was answered, and recorded before this one. */
  isOvertaken(look: LookupResult): boolean {
    return this.lastCheckedAt !== null && look.observedAt < this.lastCheckedAt;
  }

  /** Whether the look, if it is believed, drops a name that no deletion was seen of: a broken registry says the same. */
  dropsSuddenlyBy(look: LookupResult): boolean {
    if (look.kind === 'failure' || look.facts.outcome !== 'absent' || !this.facts) return false;
    return this.facts.outcome !== 'absent' && !isBeingDeleted(this.facts);
  }

  get name(): DomainName {
    return DomainName.restore(this.domain);
  }

  /** The confirmed facts, or null before the first. */
  get proven(): ConfirmedFacts | null {
    if (!this.facts || !this.source || !this.provenSince || !this.proofAt) return null;
    return { facts: this.facts, source: this.source, observedAt: this.provenSince, confirmedAt: this.proofAt };
  }

  /** What is wrong with asking about it; null while the last look told something. */
  get failing(): FailureStreak | null {
    if (!this.failingSince || !this.failureCode) return null;
    return { code: this.failureCode, since: this.failingSince, failures: this.failures };
  }

  /**
   * The proof that a new entry may start from: no older than its interval, and an absence no older than a minute.
   * @param timeScale divides both
   */
  recentProof(intervalMinutes: number, now: Date, timeScale = 1): ConfirmedFacts | null {
    const { proven } = this;
    if (!proven) return null;
    return isRecent(proven, intervalMinutes, now, timeScale) ? proven : null;
  }

  private take(look: LookupResult, cadence: CheckSchedule, now: Date, brake: DropBrake | null): EvidencedFacts | null {
    const { evidence } = look;
    const proof = look.kind === 'observation' ? look : look.dnsVetoed;
    if (proof) return this.observeProof({ proof, isVetoed: look !== proof, evidence }, cadence, now, brake);
    return look.kind === 'failure' ? this.observeFailure(look, cadence, now) : null;
  }

  private observeProof(
    seen: Omit<CandidateChange, 'status'>,
    cadence: CheckSchedule,
    now: Date,
    brake: DropBrake | null,
  ) {
    const { proof, isVetoed, evidence } = seen;
    this.become({ failures: 0, failingSince: null, failureCode: null });
    const pace = cadence.paceOf(this, now);
    const status = statusToConfirm(this.facts, proof.facts, pace, now);
    if (status === null) return isVetoed ? null : this.learn(proof, proof.observedAt, evidence, pace);
    const known = stillValid(this.pending, now, pace);
    const same = known?.status === status ? known : null;
    const weighed = confirm({ ...seen, status }, same, pace);
    if (weighed.kind === 'pending') return this.wait(weighed.pending);
    const { firstSeenAt, evidence: both } = weighed;
    const first = same?.evidence ?? evidence;
    if (brake?.holds(now) && this.dropsSuddenlyBy(proof))
      return this.wait(holdForCanary({ ...seen, status }, firstSeenAt, first, after(now, brake.patience)));
    return this.learn(proof, firstSeenAt, both, pace);
  }

  private change(changes: Partial<WatchedName>): void {
    this.become({ ...changes, revision: this.revision + 1 });
  }

  /** After a step back of the clock every look is old news: it must not be made again and again until time catches up. */
  private letPass(cadence: CheckSchedule, now: Date): null {
    if (this.nextCheckAt && this.nextCheckAt <= now) this.change({ nextCheckAt: cadence.afterOldNews(now) });
    return null;
  }

  private wait(pending: PendingConfirmation): null {
    this.become({ pending });
    return null;
  }

  private learn(
    proof: Observation,
    firstSeenAt: Date,
    evidence: readonly Evidence[],
    pace: ConfirmationPolicy,
  ): EvidencedFacts | null {
    const { facts: formerFacts, proofAt: formerProofAt, lastTurn } = this;
    const changed = !formerFacts || !areFactsEqual(formerFacts, proof.facts);
    this.become({
      facts: proof.facts,
      source: proof.source,
      provenSince: changed ? firstSeenAt : this.provenSince,
      proofAt: proof.observedAt,
      pending: null,
      lastTurn: changed && formerFacts ? transitionTo(proof, formerFacts, lastTurn, pace) : lastTurn,
    });
    const { proven } = this;
    return changed && proven ? { ...proven, formerProofAt, evidence } : null;
  }

  private observeFailure(failure: LookupFailure, cadence: CheckSchedule, now: Date): null {
    if (failure.notSent === 'budget') return null; // nobody was asked, for a reason of ours
    this.become({
      failures: this.failures + 1,
      failingSince: this.failingSince ?? failure.observedAt,
      failureCode: failure.code,
      pending: stillValid(this.pending, now, cadence.paceOf(this, now)),
    });
    return null;
  }
}
