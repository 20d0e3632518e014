import type { DriftChangedEventData, WatchlistEventData } from '../../../watchlist/language.js';
import { isDriftChange } from '../record-text.js';

/** The severities of PagerDuty. Other products show them as colours or priorities. */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

/** A reminder this many days or less before an expiry counts as an error. */
const URGENT_DAYS = 7;
const DAY = 86_400_000;

export function severityOf({ type, body }: { readonly type: string; readonly body: string }): Severity {
  if (type === 'channel.test') return 'info';
  if (type === 'channel.disabled' || type === 'watchlist.check_failing') return 'warning';
  if (type === 'watchlist.check_recovered' || type === 'watchlist.summary') return 'info';
  const { data } = JSON.parse(body) as { data: WatchlistEventData };
  if (type === 'watchlist.record_changed') return data.purpose === 'own' ? 'error' : 'info';
  if (isDriftChange(data)) return severityOfDrift(data);
  if (data.purpose === 'own') return severityForOwner(data);
  if (data.status === 'available') return data.purpose === 'acquire' ? 'critical' : 'warning';
  return data.status === 'pending_delete' ? 'warning' : 'info';
}

function severityOfDrift({ drift, purpose }: DriftChangedEventData): Severity {
  if (drift.length === 0) return 'info';
  return purpose === 'own' ? 'error' : 'warning';
}

function severityForOwner(data: WatchlistEventData): Severity {
  const { status, phase, move, threshold_days: days } = data;
  if (status === 'available' || status === 'pending_delete' || move === 'caught') return 'critical';
  if (phase === 'hold' || phase === 'expired_grace' || (days !== null && isSoon(data, days))) return 'error';
  return status === 'expiring' || days !== null ? 'warning' : 'info';
}

/** Whether at most `URGENT_DAYS` are left. If a reminder comes late, fewer days are left than `thresholdDays`. */
function isSoon({ renewal, expires_at: expiresAt, confirmed_at: at }: WatchlistEventData, thresholdDays: number) {
  const due = renewal?.on ?? expiresAt;
  const daysLeft = due === null || at === null ? Infinity : (Date.parse(due) - Date.parse(at)) / DAY;
  return Math.min(thresholdDays, daysLeft) <= URGENT_DAYS;
}

/** An alert that one event opens or updates, and another event resolves. */
export interface Alert {
  /** All events about one problem have the same key. */
  readonly key: string;
  readonly action: 'trigger' | 'resolve';
  /** The name in ASCII, or the id of the channel. */
  readonly source: string;
}

interface AlertData extends Partial<WatchlistEventData> {
  readonly channel_id?: string;
}

/**
 * Each key is an alert of its own: resolving an alert leaves alerts with other keys open.
 *
 * | key                   | opened by                                  | resolved by                      |
 * | --------------------- | ------------------------------------------ | -------------------------------- |
 * | `<entry id>/check`    | `watchlist.check_failing`                  | `watchlist.check_recovered`      |
 * | `<entry id>/drift`    | `watchlist.drift_changed` with a `drift`   | the same event without a `drift` |
 * | `<entry id>/record`   | `watchlist.record_changed`                 | a person                         |
 * | `<entry id>/status`   | all other changes, and reminders           | a change to safety (`isSafe`)    |
 * | `<channel id>/<name>` | `channel.disabled` or `.test`, the summary | a person                         |
 */
export function toAlert({ type, body }: { readonly type: string; readonly body: string }): Alert {
  const { data } = JSON.parse(body) as { data: AlertData };
  if (data.channel_id !== undefined) {
    const key = `${data.channel_id}/${type.slice(type.indexOf('.') + 1)}`;
    return { key, action: 'trigger', source: data.channel_id };
  }
  const source = data.domain ?? 'namewatch';
  if (type.startsWith('watchlist.check_')) {
    const action = type === 'watchlist.check_recovered' ? 'resolve' : 'trigger';
    return { key: `${data.entry_id}/check`, action, source };
  }
  if (type === 'watchlist.record_changed') return { key: `${data.entry_id}/record`, action: 'trigger', source };
  if (isDriftChange(data))
    return { key: `${data.entry_id}/drift`, action: data.drift.length === 0 ? 'resolve' : 'trigger', source };
  const isOver = type !== 'watchlist.expiring' && isSafe(data);
  return { key: `${data.entry_id}/status`, action: isOver ? 'resolve' : 'trigger', source };
}

function isSafe({ status, phase, move, purpose }: AlertData): boolean {
  return status === 'registered' && phase !== 'hold' && !(move === 'caught' && purpose === 'own');
}
