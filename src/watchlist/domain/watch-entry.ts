import { DomainError } from '../../kernel/domain-error.js';
import {
  type DomainName,
  type EntryStatus,
  type Lifecycle,
  deriveLifecycle,
  type LifecyclePhase,
  nextTimedChange,
  type RecordChange,
  type RegistrationRecord,
  type RegistrationFacts,
} from '../../domains/language.js';
import { AggregateRoot, type FieldsOf } from '../../kernel/aggregate-root.js';
import { createDomainEvent, type DomainEvent } from '../../kernel/domain-event.js';
import { earliest } from '../../kernel/clock.js';
import { newId } from '../../kernel/identifier.js';
import { computeReminders, type LastReminder, renewalInUse } from './expiry-reminders.js';
import { type DriftTurn, findDrift } from './drift.js';
import type { ExpectedRecord, Renewal, EntrySettings, NewWatch, Purpose } from './entry-settings.js';
import { type SearchedText, searchedTextOf } from './searched-text.js';
import {
  driftChangedEvent,
  recordChangedEvent,
  failureEvent,
  entryMovedEvent,
  reminderEvent,
  type HistoryInterval,
  type HistoryPause,
} from './watch-events.js';
import { type Move, moveBetween } from './move.js';
import type { FailureStreak, ConfirmedFacts, ConfirmedFactsWithEvidence } from './confirmed-facts.js';

export class AlreadyWatched extends DomainError {
  constructor(domain: string, id: string) {
    super('already_watched', `${domain} is already on the watchlist.`, { id });
  }
}

export class EntryNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is no such watchlist entry.');
  }
}

export interface CurrentFacts {
  /** The facts to act on; null if no facts are confirmed, or if they are too old. */
  readonly recent: ConfirmedFactsWithEvidence | null;
  readonly last: ConfirmedFacts | null;
}

/**
 * Whether the registry's first answer after adding or resuming an entry notifies the watcher (`told`) or nobody
 * (`shown`).
 */
export type FirstAnswer = 'shown' | 'told';

function toFirstAnswer(notifyCurrent: boolean): FirstAnswer {
  return notifyCurrent ? 'told' : 'shown';
}

interface Seen {
  readonly confirmed: ConfirmedFactsWithEvidence;
  /** Whether events notify the watcher; if false, events are only shown. */
  readonly isTold: boolean;
  readonly now: Date;
}

/** One account's watch on one name. Its status and phase follow from confirmed facts, and never from an error. */
export class WatchEntry extends AggregateRoot<WatchEntry> implements EntrySettings, SearchedText {
  declare readonly id: string;
  declare readonly accountId: string;
  declare readonly domain: DomainName;
  declare readonly intervalMinutes: number;
  declare readonly expiringWindowDays: number;
  declare readonly status: EntryStatus;
  declare readonly phase: LifecyclePhase;
  declare readonly changeSeq: number;
  /** null once the first answer was applied, so that later changes notify the watcher. */
  declare readonly firstAnswer: FirstAnswer | null;
  declare readonly hasConfirmedFacts: boolean;
  declare readonly knownRegisteredAt: Date | null;
  declare readonly knownExpiresAt: Date | null;
  /** When to evaluate the entry again although the facts stay the same, because time alone may change its state. */
  declare readonly boundaryAt: Date | null;
  declare readonly lastReminder: LastReminder | null;
  /** Whether the watcher was notified of failing checks, but not yet of their recovery. */
  declare readonly failureNotified: boolean;
  /**
   * Whether a pause ended the last history interval (time in one phase), and no facts have been confirmed since then.
   */
  declare readonly historyFrozen: boolean;
  declare readonly paused: boolean;
  declare readonly tags: readonly string[];
  declare readonly note: string | null;
  declare readonly purpose: Purpose;
  declare readonly remindDays: readonly number[] | null;
  declare readonly renewal: Renewal | null;
  declare readonly expected: ExpectedRecord | null;
  declare readonly importId: string | null;
  declare readonly searchedText: string | null;
  declare readonly longText: string | null;
  declare readonly drifted: boolean;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;

  private constructor(fields: FieldsOf<WatchEntry>) {
    super();
    this.become(fields);
  }

  /** Makes an entry with the status `registered`, which means nothing until the name's first check. */
  static start({ notifyCurrent = false, ...request }: NewWatch, now: Date): WatchEntry {
    return new WatchEntry({
      ...request,
      firstAnswer: toFirstAnswer(notifyCurrent),
      status: 'registered',
      phase: 'registered',
      id: newId('wl'),
      importId: request.importId ?? null,
      changeSeq: 0,
      hasConfirmedFacts: false,
      knownRegisteredAt: null,
      knownExpiresAt: null,
      boundaryAt: now,
      lastReminder: null,
      failureNotified: false,
      historyFrozen: false,
      drifted: false,
      ...searchedTextOf(request.domain, request),
      createdAt: now,
      updatedAt: now,
    });
  }

  /** Applies confirmed facts. Idempotent. */
  applyFacts(confirmed: ConfirmedFactsWithEvidence, now: Date): void {
    if (this.paused) return;
    const seen: Seen = { confirmed, isTold: this.firstAnswer !== 'shown', now };
    this.become({ firstAnswer: null });
    const to = deriveLifecycle(confirmed.facts, this.expiringWindowDays, now);
    if (!this.hasConfirmedFacts && to.status === this.status && to.phase === this.phase)
      return this.adoptFirstFacts(seen);
    this.recordMove(to, this.classifyMove(to, confirmed), seen);
  }

  /**
   * Without recent facts, new settings change the status only at the next check.
   * @param notifyCurrent notifies the watcher of the current state even if nothing has changed
   */
  revise(
    settings: Partial<EntrySettings>,
    { recent: confirmed, last }: CurrentFacts,
    now: Date,
    notifyCurrent = false,
  ): void {
    const { paused: wasPaused, expiringWindowDays: formerWindow } = this;
    // First applies changes that only the passing of time has caused. They get their own event.
    if (this.hasConfirmedFacts && confirmed) this.applyFacts(confirmed, now);
    const wasReminderDue = last !== null && computeReminders(this, last.facts, now).due !== null;
    this.become({ ...settings, updatedAt: now });
    this.become(searchedTextOf(this.domain, this));
    if (this.paused && !wasPaused) return this.onPaused(last?.confirmedAt ?? null, now);
    if (wasPaused || (this.firstAnswer && notifyCurrent)) this.become({ firstAnswer: toFirstAnswer(notifyCurrent) });
    if (this.paused) return;
    if (!confirmed) {
      if (last && !wasReminderDue && !notifyCurrent && !this.firstAnswer) this.passOverReminder(last, now);
      return this.become({ boundaryAt: now });
    }
    if (wasPaused || !this.hasConfirmedFacts) return this.applyFacts(confirmed, now);
    const to = deriveLifecycle(confirmed.facts, this.expiringWindowDays, now);
    const moved = formerWindow !== this.expiringWindowDays && to.status !== this.status;
    this.recordMove(to, moved ? 'reclassified' : null, { confirmed, isTold: notifyCurrent, now });
  }

  /** Skips a reminder that is due only because of new settings, so that the next check does not send it. */
  private passOverReminder({ facts }: ConfirmedFacts, now: Date): void {
    const { due } = computeReminders(this, facts, now);
    if (due) this.become({ lastReminder: due });
  }

  /**
   * Call when the account's suspension ends. The next check then updates the status, even if the answer is unchanged.
   */
  catchUp(now: Date): void {
    this.become({ boundaryAt: now, failureNotified: false });
  }

  private onPaused(lastSeenAt: Date | null, now: Date): void {
    this.become({ failureNotified: false });
    if (this.hasConfirmedFacts && lastSeenAt) this.pauseHistory(lastSeenAt, now);
  }

  /**
   * Closes the current history interval at `lastSeenAt`, until facts are confirmed again. With null, reopens the
   * interval.
   */
  private pauseHistory(lastSeenAt: Date | null, now: Date): void {
    const { id: entryId, changeSeq } = this;
    this.become({ historyFrozen: lastSeenAt !== null });
    const pause: HistoryPause = { entryId, changeSeq, lastSeenAt };
    this.record(createDomainEvent('history.paused', this.accountId, now, pause));
  }

  /** Publishes an internal event that cancels notifications that are still to be delivered. */
  remove(now: Date): void {
    this.record(createDomainEvent('entry.removed', this.accountId, now, { entry_id: this.id }));
  }

  /** Notifies the watcher of failing checks, only once until the checks recover. */
  notifyFailing(streak: FailureStreak, confirmed: ConfirmedFacts | null, now: Date): void {
    if (this.paused || this.failureNotified) return;
    this.become({ failureNotified: true });
    this.record(failureEvent('watchlist.check_failing', this, streak, { confirmed, now }));
  }

  /** @param streak the failures that have ended */
  notifyRecovered(streak: FailureStreak, confirmed: ConfirmedFacts | null, now: Date): void {
    if (this.paused || !this.failureNotified) return;
    this.become({ failureNotified: false });
    this.record(failureEvent('watchlist.check_recovered', this, streak, { confirmed, now }));
  }

  /** Notifies the watcher of a new registrar, new name servers and the like. The status stays the same. */
  notifyRecordChange(change: RecordChange, confirmed: ConfirmedFacts, now: Date): void {
    if (!this.paused) this.record(recordChangedEvent(this, change, confirmed, now));
  }

  /** @param record the record that the entry shows; null before its first record */
  compareRecord(record: RegistrationRecord | null): void {
    this.become({ drifted: findDrift(this.expected, record).length > 0 });
  }

  /** Notifies the watcher of values that have begun or ceased to differ from the expected record. */
  notifyDrift(turn: DriftTurn, confirmed: ConfirmedFacts, now: Date): void {
    if (!this.paused && this.expected) this.record(driftChangedEvent(this, this.expected, turn, confirmed, now));
  }

  /** The first facts confirm the initial status and phase, so no event about a change is published. */
  private adoptFirstFacts(seen: Seen): void {
    const { confirmed, now } = seen;
    this.become({ hasConfirmedFacts: true });
    this.rememberDates(confirmed.facts, true);
    this.openInterval(null, confirmed, now);
    this.advanceReminders(null, seen);
  }

  private recordMove(to: Lifecycle, move: Move | null, seen: Seen): void {
    const { confirmed, now } = seen;
    const from: Lifecycle = { status: this.status, phase: this.phase };
    this.rememberDates(confirmed.facts, !this.hasConfirmedFacts || (move !== null && move !== 'phase_changed'));
    this.become({ hasConfirmedFacts: true });
    if (move) this.become({ ...to, changeSeq: this.changeSeq + 1, updatedAt: now });
    const thresholdDays = this.advanceReminders(move, seen);
    if (!move && this.historyFrozen) this.pauseHistory(null, now);
    if (!move) return;
    const renewal = thresholdDays === null ? null : renewalInUse(this, confirmed.facts);
    this.announce(entryMovedEvent(this, { from, move, thresholdDays, renewal }, confirmed, now), seen);
    this.openInterval(move, confirmed, now);
  }

  /** Returns a due reminder's days. Without a `move` (change of status or phase), also announces the reminder. */
  private advanceReminders(move: Move | null, seen: Seen): number | null {
    const { confirmed, now } = seen;
    const { facts } = confirmed;
    const { due, nextAt } = computeReminders(this, facts, now);
    if (due) this.become({ lastReminder: due });
    this.become({ boundaryAt: earliest(nextTimedChange(facts, this.expiringWindowDays, now), nextAt) });
    const renewal = renewalInUse(this, facts);
    if (due && !move) this.announce(reminderEvent(this, { days: due.days, renewal }, confirmed, now), seen);
    return due?.days ?? null;
  }

  private announce(event: DomainEvent, { isTold }: Seen): void {
    this.record(isTold ? event : { ...event, isShownOnly: true });
  }

  private openInterval(
    move: Move | null,
    { facts, observedAt, previousConfirmedAt, evidence }: ConfirmedFactsWithEvidence,
    now: Date,
  ): void {
    const { id: entryId, changeSeq, status, phase } = this;
    this.become({ historyFrozen: false });
    const { expiresAt } = facts;
    const seen = { firstSeenAt: observedAt, formerLastSeenAt: previousConfirmedAt, expiresAt, evidence };
    const interval: HistoryInterval = { entryId, changeSeq, status, phase, move, ...seen };
    this.record(createDomainEvent('history.opened', this.accountId, now, interval));
  }

  /**
   * Remembers the dates of these facts, for the comparison with later facts. Without `overwrite`, fills in only unknown
   * dates.
   */
  private rememberDates({ registeredAt, expiresAt }: RegistrationFacts, overwrite: boolean): void {
    const observed = { registeredAt, expiresAt };
    const [first, second] = overwrite ? [observed, this.knownDates] : [this.knownDates, observed];
    this.become({
      knownRegisteredAt: first.registeredAt ?? second.registeredAt,
      knownExpiresAt: first.expiresAt ?? second.expiresAt,
    });
  }

  private classifyMove(to: Lifecycle, { facts }: ConfirmedFacts): Move | null {
    if (!this.hasConfirmedFacts) return 'discovered';
    return moveBetween(this, to, this.knownDates, facts);
  }

  private get knownDates() {
    return { registeredAt: this.knownRegisteredAt, expiresAt: this.knownExpiresAt };
  }
}
