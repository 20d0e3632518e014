/** The longest time between checks that an entry `e` allows: its own interval, or the plan's minimum if longer. */
export const REQUIRED_INTERVAL = 'greatest(e.interval_minutes, required.minimum_minutes)';
export const JOIN_MINIMUM = 'left join followed_accounts required on required.account_id = e.account_id';
