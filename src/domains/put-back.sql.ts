import { putBackRepair } from '../platform/database/put-back-repair.js';

/**
 * Shortens the pauses of circuit breakers. Blocks by Retry-After stay, because a registry may really demand a long
 * pause.
 */
const BREAKERS = putBackRepair(
  'registry_operators',
  `update registry_operators set breaker_open_since = least(breaker_open_since, now()),
       retry_at = least(retry_at, now() + interval '5 minutes'),
       probe_until = least(probe_until, now() + interval '15 seconds')
     where retry_at > now() + interval '5 minutes 10 seconds' or probe_until > now() + interval '25 seconds'`,
);

/**
 * Clears `found_at` in the future, which would count as recent for too long. `missing_at` stays, because it only causes
 * doubt.
 */
const CANARIES = putBackRepair(
  'registry_canaries',
  `update registry_canaries c set found_at = null from given where c.found_at > given.now + interval '1 minute'`,
);

/** Deletes future lookups, which would count as new for too long. Rows with `in_zone_at` only cause doubt and stay. */
const OBSERVATIONS = putBackRepair(
  'lookups',
  `delete from lookups s using given where s.observed_at > given.now + interval '1 minute' and s.in_zone_at is null`,
);

export const DOMAIN_REPAIRS = [BREAKERS, CANARIES, OBSERVATIONS];
