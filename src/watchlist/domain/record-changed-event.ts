import { deriveLifecycle, type RecordChange, type RegistrationFacts } from '../../domains/language.js';
import { createDomainEvent, type DomainEvent } from '../../kernel/domain-event.js';
import {
  type EntrySnapshot,
  type MassChangeData,
  type RecordChangedEventData,
  type ReportedFacts,
  toEventData,
  toReportedData,
} from './watch-events.js';

/** The confirmed facts of a name, with the first and the last answer that showed the new value. */
export interface ConfirmedRecordChange extends ReportedFacts {
  readonly facts: RegistrationFacts;
  /** The equal changes that it is one of; null: there are few. */
  readonly mass?: MassChangeData | null;
}

interface WatchingEntry extends EntrySnapshot {
  readonly expiringWindowDays: number;
}

export function recordChangedEvent(
  entry: WatchingEntry,
  change: RecordChange,
  confirmed: ConfirmedRecordChange,
  now: Date,
): DomainEvent<RecordChangedEventData> {
  const { kind, before, after } = change;
  const { mass, facts } = confirmed;
  const data: RecordChangedEventData = {
    ...toEventData(entry),
    ...toReportedData(confirmed),
    ...{ kind, before, after },
    ...(isPartOfMove(entry, change, facts, now) && { part_of_move: true }),
    ...(mass && { mass_change: mass }),
  };
  return createDomainEvent('watchlist.record_changed', entry.accountId, now, data);
}

/** Whether status and phase would be others with the former EPP statuses. */
function isPartOfMove(entry: WatchingEntry, { kind, before }: RecordChange, facts: RegistrationFacts, now: Date) {
  if (kind !== 'statuses' || !Array.isArray(before)) return false;
  const statuses = (before as readonly unknown[]).filter((status) => typeof status === 'string');
  const former = deriveLifecycle({ ...facts, statuses }, entry.expiringWindowDays, now);
  return former.status !== entry.status || former.phase !== entry.phase;
}
