import {
  type DomainName,
  type EntryStatus,
  type Lifecycle,
  deriveLifecycle,
  type LifecyclePhase,
  nextTimedChange,
  type RegistrationFacts,
} from '../../../domains/language.js';
import { AggregateRoot, type FieldsOf } from '../../../kernel/aggregate-root.js';
import { newId } from '../../../kernel/identifier.js';
import { dueReminder, expiryToRemindOf, nextReminderAt, type LastReminder } from './expiry-reminders.js';
import type { EntrySettings, NewWatch } from './entry-settings.js';
import { type Move, moveBetween } from './move.js';
import {
  failureEvent,
  entryMovedEvent,
  entryRemovedEvent,
  expiringEvent,
  historyPausedEvent,
  type Intent,
  historyOpenedEvent,
} from './watch-events.js';
import type { FailureStreak, ConfirmedFacts, EvidencedFacts } from '../watched-name/confirmed-facts.js';

/** What is known of the name when an entry is revised. */
export interface CurrentFacts {
  /** null where there is no proof, or only an old one. */
  readonly recent: EvidencedFacts | null;
  /** When the name was last proven at all. */
  readonly provenAt: Date | null;
}

/**
 * One account's watch on one name.
 *
 * Status and phase are the lifecycle of the name's proven facts, seen through this entry's expiring window. It
 * starts as `registered`; only a proof moves it, never an error. Each move raises `changeSeq` by one and is told in
 * exactly one event. The very first proof that differs from the start is the move `discovered`. While paused,
 * nothing moves it, and nothing is told.
 */
export class WatchEntry extends AggregateRoot<WatchEntry> {
  declare readonly id: string;
  declare readonly accountId: string;
  declare readonly domain: DomainName;
  declare readonly intervalMinutes: number;
  /** Of the plan, where the account's plan became a lesser one: looks come no oftener, whatever was chosen. */
  declare readonly planFloorMinutes: number;
  declare readonly expiringWindowDays: number;
  declare readonly status: EntryStatus;
  declare readonly phase: LifecyclePhase;
  declare readonly changeSeq: number;
  /** Whether a proof was ever applied. */
  declare readonly proven: boolean;
  declare readonly knownRegisteredAt: Date | null;
  declare readonly knownExpiresAt: Date | null;
  /** When a look touches it though it brings no news: time alone may move it then. Until the first proof: always. */
  declare readonly boundaryAt: Date | null;
  declare readonly toldRung: LastReminder | null;
  /** Whether its watcher was told that looks fail, and not yet that they succeed again. */
  declare readonly failingTold: boolean;
  /** Whether its last interval ended with a pause, and whatever follows is not known yet. */
  declare readonly historyFrozen: boolean;
  declare readonly paused: boolean;
  declare readonly tags: readonly string[];
  declare readonly note: string | null;
  declare readonly intent: Intent;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(fields: FieldsOf<WatchEntry, 'promisedMinutes'>) {
    super();
    this.become(fields);
  }

  /** @param recent the name's proof, when it is recent enough to start from; see WatchedName.recentProof */
  static start(request: NewWatch, recent: EvidencedFacts | null, now: Date): WatchEntry {
    const start: Lifecycle = recent
      ? deriveLifecycle(recent.facts, request.expiringWindowDays, now)
      : { status: 'registered', phase: 'registered' };
    const entry = new WatchEntry({
      ...request,
      ...start,
      id: newId('wl'),
      planFloorMinutes: 0,
      changeSeq: 0,
      proven: false,
      knownRegisteredAt: null,
      knownExpiresAt: null,
      boundaryAt: now,
      toldRung: null,
      failingTold: false,
      historyFrozen: false,
      createdAt: now,
      updatedAt: now,
    });
    if (recent) entry.begin(recent, now);
    return entry;
  }

  /** The largest gap between two looks that this entry is due; minutes. */
  get promisedMinutes(): number {
    return this.promisedMinutesWith(this.intervalMinutes);
  }

  /** The same, if the watcher chooses this interval. */
  promisedMinutesWith(intervalMinutes: number): number {
    return Math.max(intervalMinutes, this.planFloorMinutes);
  }

  /** Takes what is proven about the name. Harmless to repeat: the same facts move nothing twice. */
  apply(proof: EvidencedFacts, now: Date): void {
    if (this.paused) return;
    const to = deriveLifecycle(proof.facts, this.expiringWindowDays, now);
    if (!this.proven && to.status === this.status && to.phase === this.phase) return this.begin(proof, now);
    this.move(to, this.moveTo(to, proof), proof, now);
  }

  /**
   * What the watcher wants from now on. Another window may change the status at once: that is `reclassified`, as
   * nothing happened to the name. Resuming takes the current proof as one move. What is proven no more by a recent look
   * moves nothing: then the next look tells.
   */
  revise(wishes: Partial<EntrySettings>, { recent: proof, provenAt }: CurrentFacts, now: Date): void {
    const { paused: wasPaused, expiringWindowDays: formerWindow } = this;
    if (this.proven && proof) this.apply(proof, now); // what time alone changed is told as what it is
    this.become({ ...wishes, updatedAt: now });
    this.holdTo(this.planFloorMinutes);
    if (this.paused && !wasPaused) return this.freeze(provenAt, now);
    if (this.paused) return;
    if (!proof) return this.become({ boundaryAt: now });
    if (wasPaused || !this.proven) return this.apply(proof, now);
    const to = deriveLifecycle(proof.facts, this.expiringWindowDays, now);
    const moved = formerWindow !== this.expiringWindowDays && to.status !== this.status;
    this.move(to, moved ? 'reclassified' : null, proof, now);
  }

  /** The account's plan allows looks every so many minutes at most: it counts where less was chosen under another. */
  holdTo(floorMinutes: number): void {
    this.become({ planFloorMinutes: floorMinutes > this.intervalMinutes ? floorMinutes : 0 });
  }

  private freeze(lastSeenAt: Date | null, now: Date): void {
    this.become({ failingTold: false });
    if (this.proven && lastSeenAt) this.holdHistory(lastSeenAt, now);
  }

  /** Ends the last interval for as long as nothing is known, or lets it go on. */
  private holdHistory(lastSeenAt: Date | null, now: Date): void {
    const { id: entryId, changeSeq } = this;
    this.become({ historyFrozen: lastSeenAt !== null });
    this.record(historyPausedEvent(this.accountId, { entryId, changeSeq, lastSeenAt }, now));
  }

  /** Taken off the watchlist. What was not yet told about it is not told any more. */
  end(now: Date): void {
    this.record(entryRemovedEvent(this.id, this.accountId, now));
  }

  /** Looks at the name fail, for long enough that its watcher has to know that nothing is known. Told once. */
  tellFailing(failing: FailureStreak, proof: ConfirmedFacts | null, now: Date): void {
    if (this.paused || this.failingTold) return;
    this.become({ failingTold: true });
    this.record(failureEvent('watchlist.check_failing', this, failing, { grounds: proof, now }));
  }

  /** @param failing what was wrong until now */
  tellRecovered(failing: FailureStreak, proof: ConfirmedFacts | null, now: Date): void {
    if (this.paused || !this.failingTold) return;
    this.become({ failingTold: false });
    this.record(failureEvent('watchlist.check_recovered', this, failing, { grounds: proof, now }));
  }

  /** The first proof says what the entry shows already: history begins, and nobody is told. */
  private begin(proof: EvidencedFacts, now: Date): void {
    this.become({ proven: true });
    this.remember(proof.facts, true);
    this.open(null, proof, now);
    this.climb(null, proof, now);
  }

  private move(to: Lifecycle, move: Move | null, proof: EvidencedFacts, now: Date): void {
    const from: Lifecycle = { status: this.status, phase: this.phase };
    this.remember(proof.facts, !this.proven || (move !== null && move !== 'phase_changed'));
    this.become({ proven: true });
    if (move) this.become({ ...to, changeSeq: this.changeSeq + 1, updatedAt: now });
    const thresholdDays = this.climb(move, proof, now);
    if (!move && this.historyFrozen) this.holdHistory(null, now);
    if (!move) return;
    this.record(entryMovedEvent(this, { from, move, thresholdDays }, proof, now));
    this.open(move, proof, now);
  }

  /** Crosses rungs of the ladder; one that is crossed with a move rides in the move's event. */
  private climb(move: Move | null, proof: ConfirmedFacts, now: Date): number | null {
    const { facts } = proof;
    const expiresAt = this.intent === 'acquire' ? null : expiryToRemindOf(this, facts);
    const days = expiresAt && dueReminder(expiresAt, this.toldRung, now);
    if (expiresAt && days !== null) this.become({ toldRung: { days, expiresAt } });
    const rungAt = expiresAt && nextReminderAt(expiresAt, this.toldRung, now);
    this.become({ boundaryAt: earlier(nextTimedChange(facts, this.expiringWindowDays, now), rungAt) });
    if (days !== null && !move) this.record(expiringEvent(this, days, proof, now));
    return days;
  }

  private open(move: Move | null, { facts, observedAt, formerProofAt, evidence }: EvidencedFacts, now: Date): void {
    const { id: entryId, changeSeq, status, phase } = this;
    this.become({ historyFrozen: false });
    const seen = { firstSeenAt: observedAt, formerLastSeenAt: formerProofAt, expiresAt: facts.expiresAt, evidence };
    this.record(historyOpenedEvent(this.accountId, { entryId, changeSeq, status, phase, move, ...seen }, now));
  }

  /** The dates that the next move is measured by: those of the last change of status, and what was unknown then. */
  private remember({ registeredAt, expiresAt }: RegistrationFacts, anew: boolean): void {
    const [known, told] = [
      { registeredAt: this.knownRegisteredAt, expiresAt: this.knownExpiresAt },
      { registeredAt, expiresAt },
    ];
    const [first, second] = anew ? [told, known] : [known, told];
    this.become({
      knownRegisteredAt: first.registeredAt ?? second.registeredAt,
      knownExpiresAt: first.expiresAt ?? second.expiresAt,
    });
  }

  private moveTo(to: Lifecycle, { facts }: ConfirmedFacts): Move | null {
    if (!this.proven) return 'discovered';
    const known = { registeredAt: this.knownRegisteredAt, expiresAt: this.knownExpiresAt };
    return moveBetween(this, to, known, facts);
  }
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
