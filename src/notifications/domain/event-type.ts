import type { DriftChangedEventData, RecordChangedEventData, WatchlistEventData } from '../../watchlist/language.js';
import { isRecordChange } from './record-text.js';

export const EVENT_TYPES = [
  'watchlist.available',
  'watchlist.status_changed',
  'watchlist.phase_changed',
  'watchlist.expiring',
  'watchlist.check_failing',
  'watchlist.check_recovered',
  'watchlist.record_changed',
  'watchlist.drift_changed',
  'watchlist.summary',
  'channel.disabled',
  'channel.test',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const EVENT_FILTERS = ['watchlist.*', ...EVENT_TYPES] as const;

/** The filter `watchlist.status_changed` also matches `watchlist.available`, which is a change of status too. */
export function matchesFilter(filter: string, type: string): boolean {
  if (filter.endsWith('.*')) return type.startsWith(filter.slice(0, -1));
  return filter === type || (filter === 'watchlist.status_changed' && type === 'watchlist.available');
}

/** Matches EPP statuses that lock a name, such as `clientTransferProhibited`. */
const LOCK = /prohibited$/i;

/** Whether people get the event soon. Other events wait longer, so that one message collects several. */
export function isUrgent({ type, body }: { readonly type: string; readonly body: string }): boolean {
  switch (type) {
    case 'watchlist.available':
    case 'channel.test': // somebody waits for the test message
      return true;
    case 'watchlist.status_changed':
    case 'watchlist.phase_changed':
      return isUrgentPhase(dataOf(body));
    case 'watchlist.record_changed':
      return isSignOfTakeover(dataOf(body));
    case 'watchlist.drift_changed':
      return isWorse(dataOf(body) as DriftChangedEventData);
    default:
      return false;
  }
}

function isUrgentPhase({ phase, previous_phase: before, purpose }: WatchlistEventData): boolean {
  if (phase === before) return false;
  return phase === 'pending_delete' || phase === 'hold' || (phase === 'redemption' && purpose === 'own');
}

/** Ignores DS records, which change with every key rollover. */
function isSignOfTakeover(data: WatchlistEventData): boolean {
  if (data.purpose !== 'own' || !isRecordChange(data) || data.kind === 'ds') return false;
  return data.kind !== 'statuses' || areLocksChanged(data);
}

/** Whether a name with `purpose: own` has a new difference from the expected values. */
function isWorse({ purpose, drift, previous_drift: before }: DriftChangedEventData): boolean {
  return purpose === 'own' && drift.some((member) => !before.includes(member));
}

function areLocksChanged({ before, after }: RecordChangedEventData): boolean {
  return locksOf(before) !== locksOf(after);
}

function locksOf(statuses: RecordChangedEventData['after']): string {
  const texts = Array.isArray(statuses) ? (statuses as readonly unknown[]) : [];
  return texts
    .filter((text) => typeof text === 'string')
    .filter((text) => LOCK.test(text))
    .toSorted()
    .join();
}

function dataOf(body: string): WatchlistEventData {
  return (JSON.parse(body) as { data: WatchlistEventData }).data;
}
