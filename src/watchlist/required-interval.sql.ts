/**
 * The longest time between two checks that an entry `e` allows: the chosen interval, or the plan's minimum if that is
 * longer.
 */
export const REQUIRED_INTERVAL = 'greatest(e.interval_minutes, required.minimum_minutes)';
export const JOIN_MINIMUM = 'left join followed_accounts required on required.account_id = e.account_id';
