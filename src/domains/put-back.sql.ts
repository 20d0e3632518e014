import { putBackRepair } from '../platform/database/put-back-repair.js';

/** A pause is for five minutes at most. How long a registry asked to be left alone is not known any more, and is kept. */
const BREAKERS = putBackRepair(
  'registry_operators',
  `update registry_operators set breaker_open_since = least(breaker_open_since, now()),
       retry_at = least(retry_at, now() + interval '5 minutes'),
       probe_until = least(probe_until, now() + interval '15 seconds')
     where retry_at > now() + interval '5 minutes 10 seconds' or probe_until > now() + interval '25 seconds'`,
);

/** A canary that was found in the future would hide what breaks from now on. A doubt stays until it is over. */
const CANARIES = putBackRepair(
  'registry_canaries',
  `update registry_canaries c set found_at = null from given where c.found_at > given.now + interval '1 minute'`,
);

/** An hour later they would look like new ones. The answer of a zone only forbids, and is kept. */
const OBSERVATIONS = putBackRepair(
  'lookups',
  `delete from lookups s using given where s.observed_at > given.now + interval '1 minute' and s.in_zone_at is null`,
);

export const DOMAIN_REPAIRS = [BREAKERS, CANARIES, OBSERVATIONS];
