import { isAhead, limitLeases, putBackRepair } from '../../platform/database/put-back-repair.js';

/**
 * The furthest that a name's next check may be away: the name's interval, but at least 66 minutes, because checks may
 * be delayed this long after failures and crashes.
 */
const FURTHEST = `greatest(66, w.interval_minutes) * given.minute`;

/**
 * Repairs the schedule after the clock was put back. If the last check of a name is in the future, its next check comes
 * as much later than now as it would have come after that check. Other names that are scheduled too far away are due
 * now.
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
 * Moves the creation time of an entry back to now if it is ahead of the clock, because an entry shows only findings
 * since its creation.
 */
const ENTRIES = putBackRepair(
  'watch_entries',
  `update watch_entries set created_at = given.now from given where ${isAhead('created_at')}`,
);

export const WATCHLIST_REPAIRS = [limitLeases('check_leases', 'until'), NAMES, ENTRIES];
