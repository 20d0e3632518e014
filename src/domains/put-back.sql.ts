import { putBackRepair } from '../platform/database/put-back-repair.js';

/**
 * Shortens the pauses and probes of circuit breakers, which would last too long after the clock was put back. Blocks by
 * Retry-After stay, because a registry may really demand a long pause.
 */
const BREAKERS = putBackRepair(
  'registry_operators',
  `update registry_operators set breaker_open_since = least(breaker_open_since, now()),
       retry_at = least(retry_at, now() + interval '5 minutes'),
       probe_until = least(probe_until, now() + interval '15 seconds')
     where retry_at > now() + interval '5 minutes 10 seconds' or probe_until > now() + interval '25 seconds'`,
);

/**
 * Clears `found_at` if it is in the future. Otherwise the find of a canary (a name that must exist) would count as
 * recent for too long. A `missing_at` in the future may stay, because it only makes a "no record" answer less credible.
 */
const CANARIES = putBackRepair(
  'registry_canaries',
  `update registry_canaries c set found_at = null from given where c.found_at > given.now + interval '1 minute'`,
);

/**
 * Deletes lookups whose time is in the future, because they would count as new for too long. Rows with `in_zone_at`
 * stay, because they only make a "no record" answer less credible.
 */
const OBSERVATIONS = putBackRepair(
  'lookups',
  `delete from lookups s using given where s.observed_at > given.now + interval '1 minute' and s.in_zone_at is null`,
);

export const DOMAIN_REPAIRS = [BREAKERS, CANARIES, OBSERVATIONS];
