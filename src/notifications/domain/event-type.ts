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

/** The filters that a channel may have: a type, or all watchlist events. */
export const EVENT_FILTERS = ['watchlist.*', ...EVENT_TYPES] as const;

/** `watchlist.status_changed` also matches `watchlist.available`: becoming available is a change of status. */
export function matchesFilter(filter: string, type: string): boolean {
  if (filter.endsWith('.*')) return type.startsWith(filter.slice(0, -1));
  return filter === type || (filter === 'watchlist.status_changed' && type === 'watchlist.available');
}

/** Matches the locks of registrars and registries. Without them a name can be transferred or deleted. */
const LOCK = /prohibited$/i;

/**
 * Whether a person must act at once, so that the message does not wait for further events. True if the name is or soon
 * becomes available, or leaves the zone. Also true if the account's own name is in redemption or may have been taken
 * over.
 */
export function isUrgent({ type, body }: { readonly type: string; readonly body: string }): boolean {
  switch (type) {
    case 'watchlist.available':
    case 'channel.test': // somebody waits for it
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

/** Ignores DS records: they change with every rollover of keys, and a wrong one only makes the name unreachable. */
function isSignOfTakeover(data: WatchlistEventData): boolean {
  if (data.purpose !== 'own' || !isRecordChange(data) || data.kind === 'ds') return false;
  return data.kind !== 'statuses' || areLocksChanged(data);
}

/** Whether more of the account's own name differs from its expected record. */
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
