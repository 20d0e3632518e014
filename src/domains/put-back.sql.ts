import { putBackRepair } from '../platform/database/put-back-repair.js';

/**
 * Shortens circuit breakers' pauses after the clock was put back. Blocks by Retry-After stay, because a registry may
 * demand a long pause.
 */
const BREAKERS = putBackRepair(
  'registry_operators',
  `update registry_operators set breaker_open_since = least(breaker_open_since, now()),
       retry_at = least(retry_at, now() + interval '5 minutes'),
       probe_until = least(probe_until, now() + interval '15 seconds')
     where retry_at > now() + interval '5 minutes 10 seconds' or probe_until > now() + interval '25 seconds'`,
);

/**
 * After the clock was put back, a future `found_at` would count as recent for too long. A future `missing_at` may stay,
 * because it only makes "no record" less credible.
 */
const CANARIES = putBackRepair(
  'registry_canaries',
  `update registry_canaries c set found_at = null from given where c.found_at > given.now + interval '1 minute'`,
);

/**
 * After the clock was put back, lookups in the future would count as new for too long. Rows with `in_zone_at` stay,
 * because they only forbid "available".
 */
const OBSERVATIONS = putBackRepair(
  'lookups',
  `delete from lookups s using given where s.observed_at > given.now + interval '1 minute' and s.in_zone_at is null`,
);

export const DOMAIN_REPAIRS = [BREAKERS, CANARIES, OBSERVATIONS];
