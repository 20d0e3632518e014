import { isAhead, limitLeases, putBackRepair } from '../../platform/database/put-back-repair.js';

/** The longest wait for a check: the interval, but at least 66 minutes, for retries after failures and crashes. */
const FURTHEST = `greatest(66, w.interval_minutes) * given.minute`;

/**
 * After the clock was put back: if a name's last check is in the future, its wait starts again; if only the next check
 * is too far ahead, the name becomes due.
 */
const NAMES = putBackRepair(
  'watched_names',
  `update watched_names w set next_check_at =
       case when ${isAhead('w.last_checked_at')}
         then given.now + greatest(interval '0', w.next_check_at - w.last_checked_at) else given.now end
     from given
     where ${isAhead('w.next_check_at')} and (
       ${isAhead('w.last_checked_at')}
       or w.next_check_at > given.now + ${FURTHEST})`,
);

/**
 * After the clock was put back, a creation time may be in the future. Such a time would hide new findings, because an
 * entry shows only findings since its creation.
 */
const ENTRIES = putBackRepair(
  'watch_entries',
  `update watch_entries set created_at = given.now from given where ${isAhead('created_at')}`,
);

export const WATCHLIST_REPAIRS = [limitLeases('check_leases', 'until'), NAMES, ENTRIES];
