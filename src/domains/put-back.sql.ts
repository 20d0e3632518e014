import { putBackRepair } from '../platform/database/put-back-repair.js';

/** A pause is for five minutes at most. How long a registry asked to be left alone is not known any more, and is kept. */
const BREAKERS = putBackRepair(
  'registry_operators',
  `update registry_operators set breaker_open_since = least(breaker_open_since, now()),
       retry_at = least(retry_at, now() + interval '5 minutes'),
       probe_until = least(probe_until, now() + interval '15 seconds')
     where retry_at > now() + interval '5 minutes 10 seconds' or probe_until > now() + interval '25 seconds'`,
);

/** The last canary counts: a pass from the future would hide what the next ones say. A failure holds until the next one. */
const CANARIES = putBackRepair(
  'registry_canaries',
  `delete from registry_canaries c using given where c.passed and c.observed_at > given.now + interval '1 minute'`,
);

/** An hour later they would look like new ones. A veto of DNS is none, and is kept. */
const OBSERVATIONS = putBackRepair(
  'lookups',
  `delete from lookups s using given where s.observed_at > given.now + interval '1 minute'
     and (s.leased_until is null or s.leased_until <= now() or s.leased_until > now() + interval '10 seconds')
     and (s.facts is not null or coalesce(s.delegated_at, '-infinity') = '-infinity')`,
);

export const DOMAIN_REPAIRS = [BREAKERS, CANARIES, OBSERVATIONS];
