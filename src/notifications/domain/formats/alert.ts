import type { DriftChangedEventData, WatchlistEventData } from '../../../watchlist/language.js';
import { isDriftChange } from '../drift-text.js';

/** The severities of PagerDuty's common event format. Other products get colours or priorities made from them. */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

/** From this many days before an expiry, a reminder counts as an error. */
const URGENT_DAYS = 7;
const DAY = 86_400_000;

/** Returns how much an event matters to an account that owns the name, wants it, or only watches it. */
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

/** Compares the days that are really left too: after an outage, or for a name added later, a reminder comes late. */
function isSoon({ renewal, expires_at: expiresAt, confirmed_at: at }: WatchlistEventData, thresholdDays: number) {
  const due = renewal?.on ?? expiresAt;
  const daysLeft = due === null || at === null ? Infinity : (Date.parse(due) - Date.parse(at)) / DAY;
  return Math.min(thresholdDays, daysLeft) <= URGENT_DAYS;
}

/** An alert that one event opens or updates, and another one resolves. */
export interface Alert {
  /** The same for all events about one problem. */
  readonly key: string;
  readonly action: 'trigger' | 'resolve';
  /** The name in ASCII, or the channel. */
  readonly source: string;
}

interface AlertData extends Partial<WatchlistEventData> {
  readonly channel_id?: string;
}

/**
 * Returns the alert that an event opens or resolves. An entry has four alerts. They are about the name's status, about
 * whether the name can be checked, about changes in its record, and about differences from the expected record.
 *
 * | key                   | trigger                                   | resolve                      |
 * | --------------------- | ----------------------------------------- | ---------------------------- |
 * | `<entry id>/status`   | every other change, and reminders         | the name is safe, see below  |
 * | `<entry id>/check`    | `watchlist.check_failing`                 | `watchlist.check_recovered`  |
 * | `<entry id>/record`   | `watchlist.record_changed`                | never: by a person           |
 * | `<entry id>/drift`    | `watchlist.drift_changed` with a drift    | the same without             |
 * | `<channel id>/…`      | `channel.disabled`, `channel.test`, `watchlist.summary` | never: by a person |
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

/** Whether a name is registered, not on hold, and, if it is the account's own, not registered by somebody else. */
function isSafe({ status, phase, move, purpose }: AlertData): boolean {
  return status === 'registered' && phase !== 'hold' && !(move === 'caught' && purpose === 'own');
}
