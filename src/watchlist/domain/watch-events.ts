import {
  type DomainName,
  type EntryStatus,
  type EvidenceSource,
  type Lifecycle,
  type LifecyclePhase,
  type RecordKind,
  type RecordValue,
  deriveLifecycle,
  type RecordChange,
  type RegistrationFacts,
  type Evidence,
} from '../../domains/language.js';
import { type DomainEvent, createDomainEvent } from '../../kernel/domain-event.js';
import type { ConfirmedFacts } from './confirmed-facts.js';
import type { ActualRecord, DriftTurn } from './drift.js';
import type { ExpectedMember, ExpectedRecord, Purpose, Renewal } from './entry-settings.js';
import type { Move } from './move.js';

/** The `data` of every `watchlist.*` event, as receivers get it. */
export interface WatchlistEventData {
  readonly entry_id: string;
  readonly domain: string;
  readonly domain_unicode: string;
  readonly status: EntryStatus;
  readonly previous_status: EntryStatus;
  readonly phase: LifecyclePhase;
  readonly previous_phase: LifecyclePhase;
  readonly move: Move | null;
  readonly change_seq: number;
  readonly expires_at: string | null;
  /** null before the first confirmed facts. */
  readonly source: EvidenceSource | null;
  /** When an answer of the registry first showed this state. */
  readonly observed_at: string | null;
  /** When an answer last showed this state. */
  readonly confirmed_at: string | null;
  readonly threshold_days: number | null;
  readonly tags: readonly string[];
  /** Missing in events of earlier versions. */
  readonly note?: string | null;
  readonly purpose: Purpose;
  /** Set only if the event reminds of a renewal date that the watcher entered. */
  readonly renewal?: Renewal;
}

export interface ConfirmedEventData extends WatchlistEventData {
  readonly source: EvidenceSource;
  readonly observed_at: string;
  readonly confirmed_at: string;
}

/** The `data` of the three events about a change of status or phase. */
export interface ChangeEventData extends ConfirmedEventData {
  readonly move: Move;
}

export interface ExpiringEventData extends ConfirmedEventData {
  readonly threshold_days: number;
}

/** The `data` of the two events about failing checks. */
export interface FailingEventData extends WatchlistEventData {
  readonly code: string;
  readonly since: string;
}

export interface RecordChangedEventData extends ConfirmedEventData {
  readonly kind: RecordKind;
  readonly before: RecordValue;
  readonly after: RecordValue;
  /** Set if a change of EPP `statuses` also changed the entry's status or phase, which a separate event reports. */
  readonly part_of_move?: true;
}

export interface DriftChangedEventData extends ConfirmedEventData {
  /** The members that differ from `expected` now, and the members that differed before. */
  readonly drift: readonly ExpectedMember[];
  readonly previous_drift: readonly ExpectedMember[];
  readonly expected: ExpectedRecord;
  /** The values of the record; null means that the registry does not say. */
  readonly actual: ActualRecord;
}

interface EntrySnapshot extends Lifecycle {
  readonly id: string;
  readonly accountId: string;
  readonly domain: DomainName;
  readonly changeSeq: number;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly purpose: Purpose;
  readonly expiringWindowDays: number;
}

export function entryMovedEvent(
  entry: EntrySnapshot,
  change: {
    readonly from: Lifecycle;
    readonly move: Move;
    readonly thresholdDays: number | null;
    readonly renewal: Renewal | null;
  },
  confirmed: ConfirmedFacts,
  now: Date,
): DomainEvent<ChangeEventData> {
  const { from, move, thresholdDays, renewal } = change;
  const data = {
    ...toEventData(entry),
    ...toReportedData(confirmed),
    previous_status: from.status,
    previous_phase: from.phase,
    move,
    threshold_days: thresholdDays,
    ...(renewal && { renewal }),
  };
  return createDomainEvent(eventType(entry, from, move), entry.accountId, now, data);
}

/** Makes the event of a reminder that is due while the status stays the same. */
export function reminderEvent(
  entry: EntrySnapshot,
  { days, renewal }: { readonly days: number; readonly renewal: Renewal | null },
  confirmed: ConfirmedFacts,
  now: Date,
) {
  const reminder = { threshold_days: days, ...(renewal && { renewal }) };
  const data: ExpiringEventData = { ...toEventData(entry), ...toReportedData(confirmed), ...reminder };
  return createDomainEvent('watchlist.expiring', entry.accountId, now, data);
}

type FailureEventType = 'watchlist.check_failing' | 'watchlist.check_recovered';

export function failureEvent(
  type: FailureEventType,
  entry: EntrySnapshot,
  failing: { readonly code: string; readonly since: Date },
  { confirmed, now }: { readonly confirmed: ConfirmedFacts | null; readonly now: Date },
): DomainEvent<FailingEventData> {
  const reported = confirmed ? toReportedData(confirmed) : {};
  const data = { ...toEventData(entry), ...reported, code: failing.code, since: failing.since.toISOString() };
  return createDomainEvent(type, entry.accountId, now, data);
}

function toEventData(entry: EntrySnapshot): WatchlistEventData {
  return {
    entry_id: entry.id,
    domain: entry.domain.ascii,
    domain_unicode: entry.domain.unicode,
    status: entry.status,
    previous_status: entry.status,
    phase: entry.phase,
    previous_phase: entry.phase,
    move: null,
    change_seq: entry.changeSeq,
    expires_at: null,
    source: null,
    observed_at: null,
    confirmed_at: null,
    threshold_days: null,
    tags: entry.tags,
    note: entry.note,
    purpose: entry.purpose,
  };
}

function toReportedData({ facts, source, observedAt, confirmedAt }: ConfirmedFacts) {
  return {
    expires_at: facts.expiresAt?.toISOString() ?? null,
    source,
    observed_at: observedAt.toISOString(),
    confirmed_at: confirmedAt.toISOString(),
  };
}

/**
 * `caught` (another party has registered the name) counts as a change of status, even if the status stays `registered`.
 */
function eventType(entry: Lifecycle, from: Lifecycle, move: Move): string {
  if (entry.status === 'available' && from.status !== 'available') return 'watchlist.available';
  if (entry.status !== from.status || move === 'caught') return 'watchlist.status_changed';
  return 'watchlist.phase_changed';
}

export function recordChangedEvent(
  entry: EntrySnapshot,
  change: RecordChange,
  confirmed: ConfirmedFacts,
  now: Date,
): DomainEvent<RecordChangedEventData> {
  const { kind, before, after } = change;
  const data: RecordChangedEventData = {
    ...toEventData(entry),
    ...toReportedData(confirmed),
    kind,
    before,
    after,
    ...(isPartOfMove(entry, change, confirmed.facts, now) && { part_of_move: true }),
  };
  return createDomainEvent('watchlist.record_changed', entry.accountId, now, data);
}

export function driftChangedEvent(
  entry: EntrySnapshot,
  expected: ExpectedRecord,
  { before, now: drift, actual }: DriftTurn,
  confirmed: ConfirmedFacts,
  now: Date,
): DomainEvent<DriftChangedEventData> {
  const data: DriftChangedEventData = {
    ...toEventData(entry),
    ...toReportedData(confirmed),
    drift,
    previous_drift: before,
    expected,
    actual,
  };
  return createDomainEvent('watchlist.drift_changed', entry.accountId, now, data);
}

/** Whether the entry would have another status or phase with the former EPP statuses. */
function isPartOfMove(entry: EntrySnapshot, { kind, before }: RecordChange, facts: RegistrationFacts, now: Date) {
  if (kind !== 'statuses' || !Array.isArray(before)) return false;
  const statuses = (before as readonly unknown[]).filter((status) => typeof status === 'string');
  const former = deriveLifecycle({ ...facts, statuses }, entry.expiringWindowDays, now);
  return former.status !== entry.status || former.phase !== entry.phase;
}

/** Begins a history interval (time in one status and phase). The former interval ends when it was last confirmed. */
export interface HistoryInterval extends Lifecycle {
  readonly entryId: string;
  readonly changeSeq: number;
  /** The change that began the interval; null if the first answer showed `registered`, the placeholder until then. */
  readonly move: Move | null;
  readonly firstSeenAt: Date;
  /** When the previous state was last confirmed; null without a previous state, or if the time is unknown. */
  readonly formerLastSeenAt: Date | null;
  readonly expiresAt: Date | null;
  readonly evidence: readonly Evidence[];
}

/** Closes the current history interval when a pause begins, or reopens it when the pause ends. */
export interface HistoryPause {
  readonly entryId: string;
  readonly changeSeq: number;
  /** When the state was last confirmed before the pause. null reopens the interval at the end of the pause. */
  readonly lastSeenAt: Date | null;
}
