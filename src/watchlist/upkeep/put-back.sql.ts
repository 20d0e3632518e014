import { limitLeases, putBackRepair } from '../../platform/database/put-back-repair.js';

/** A time of a clock that was put back since. */
const isAhead = (at: string) => `${at} > given.now + interval '1 minute'`;
/** A check is never put off by more than its interval, or after failures and crashes by 66 minutes. */
const FURTHEST = `greatest(66, w.interval_minutes) * given.minute`;

/**
 * A check that was made before the clock was put back keeps its distance to the next one. The others are due within their
 * interval; how late they are by then is not known, so those that are further away are due now.
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

/** An entry sees what is found since it exists: else it would see and tell nothing until the clock has caught up. */
const ENTRIES = putBackRepair(
  'watch_entries',
  `update watch_entries set created_at = given.now from given where ${isAhead('created_at')}`,
);

export const WATCHLIST_REPAIRS = [limitLeases('check_leases', 'until'), NAMES, ENTRIES];
