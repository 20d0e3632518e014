import type { WatchlistEventData } from '../../../../watchlist/language.js';

/** The four of PagerDuty's common event format; the other products map them to colours and priorities. */
export type Severity = 'critical' | 'error' | 'warning' | 'info';

/** Less than this many days before an expiry, a reminder is an error. */
const URGENT_DAYS = 7;

/** How much an event matters to an account that owns the name, wants it, or only watches it. */
export function severityOf({ type, body }: { readonly type: string; readonly body: string }): Severity {
  if (type === 'channel.test') return 'info';
  if (type === 'channel.disabled' || type === 'watchlist.check_failing') return 'warning';
  if (type === 'watchlist.check_recovered') return 'info';
  const { data } = JSON.parse(body) as { data: WatchlistEventData };
  if (type === 'watchlist.record_changed' || type === 'watchlist.mass_change')
    return data.intent === 'own' ? 'error' : 'info';
  if (data.intent === 'own') return severityForOwner(data);
  if (data.status === 'available') return data.intent === 'acquire' ? 'critical' : 'warning';
  return data.status === 'pending_delete' ? 'warning' : 'info';
}

function severityForOwner({ status, phase, move, threshold_days: days }: WatchlistEventData): Severity {
  if (status === 'available' || status === 'pending_delete' || move === 'caught') return 'critical';
  if (phase === 'hold' || phase === 'expired_grace' || (days !== null && days <= URGENT_DAYS)) return 'error';
  return status === 'expiring' || days !== null ? 'warning' : 'info';
}
