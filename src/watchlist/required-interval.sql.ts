/** The longest time between two checks that an entry `e` allows: the chosen one, or its plan's minimum where that is longer. */
export const REQUIRED_INTERVAL = 'greatest(e.interval_minutes, required.minimum_minutes)';
export const JOIN_MINIMUM = 'left join followed_accounts required on required.account_id = e.account_id';
