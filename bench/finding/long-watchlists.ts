import type pg from 'pg';
import type { Seed } from '../seeded-postgres.js';
import { loadSteps } from '../seeding.js';

/** Of each of the two accounts that are measured. */
export const ENTRIES = 100_000;
const ENTRIES_OF_OTHERS = 1_000;
const TLDS = 'com net org info biz dev app shop online xyz de nl eu uk fr ch se io co me'.split(' ');
const WORDS = 'shop brand cloud media studio garden travel market finance sports'.split(' ');
const TAGS = 'brand client-a client-b client-c client-d legacy parked shop europe americas'.split(' ');
const FACTS = JSON.stringify({
  outcome: 'found',
  statuses: ['client transfer prohibited'],
  registrable: 'no',
  registeredAt: '1997-09-15T04:00:00.000Z',
  publishesExpiry: true,
  quarantine: null,
});

/** The entries of the first account are each on a page of their own; those of the second are side by side. */
export const SCATTERED = account('1');
export const TOGETHER = account('2');

/**
 * So many names with an entry each. Half of the entries have tags, every third a note, every fiftieth name is an IDN; one
 * in a hundred fails, one in 200 was never answered, and their expiry dates are spread over a year.
 */
export function longWatchlists(size: number): Seed {
  const others = Math.ceil(size / ENTRIES_OF_OTHERS);
  const every = Math.floor(size / ENTRIES);
  const owner = `case when n % ${every} = 0 then ${SCATTERED} when n > ${size - ENTRIES} then ${TOGETHER}
    else ${account(`3 + n % ${others}`)} end`;
  const expiry = `date_trunc('day', now()) + make_interval(hours => (hashint4(n) & 8191))`;
  const isFailing = 'n % 101 = 0';
  const isAnswered = 'n % 211 <> 0';
  const tags = `case when n % 2 = 0 then ('{${TAGS.join()}}'::text[])[1 + n / 2 % 10 : 1 + n / 2 % 10 + n % 3] else '{}' end`;
  const note = `case when n % 3 = 0 then 'Contract ' || n || ' of ' || substr(md5(n::text), 1, 20) || ', renewed by the client' end`;
  const inserts = (from: number, to: number) => `
    insert into watched_names (domain, operator, interval_minutes, next_check_at, facts, source, facts_since,
      facts_confirmed_at, last_checked_at, revision, failures, failing_since, failure_code)
    select ${DOMAIN}, 'registry of ' || tld, 1440, now() + interval '10 years',
      case when ${isAnswered} then ('${FACTS}'::jsonb || jsonb_build_object('expiresAt', ${expiry}))::text end, 'rdap', now(), now(),
      case when ${isAnswered} then now() end, 1, case when ${isFailing} then 1 else 0 end,
      case when ${isFailing} then now() end, case when ${isFailing} then 'registry_timeout' end
    from generate_series(${from}, ${to}) n cross join lateral (${WITH_TLD}) as one;
    insert into watch_entries (id, account_id, domain, interval_minutes,
      expiring_window_days, status, phase, change_seq, has_confirmed_facts, known_registered_at, known_expires_at,
      paused, tags, note, searched_text, intent, created_at, updated_at, expires_at, answered, failing, drifted)
    select 'wl_' || lpad(n::text, 26, '0'), ${owner}, ${DOMAIN}, 1440, 30,
      case n % 50 when 0 then 'pending_delete' when 1 then 'available' when 2 then 'expiring' when 3 then 'expiring'
        else 'registered' end,
      case n % 50 when 0 then 'redemption' when 1 then 'available' when 2 then 'expired_grace' when 3 then 'expiring'
        else 'registered' end,
      0, ${isAnswered}, '1997-09-15T04:00:00Z', ${expiry}, n % 103 = 0,
      ${tags}, ${note}, searched_text(${DOMAIN}, ${tags}, ${note}),
      case n % 5 when 0 then 'own' when 1 then 'acquire' else 'monitor' end,
      now() - make_interval(secs => n), now(), case when ${isAnswered} then ${expiry} end, ${isAnswered}, ${isFailing},
      n % 307 = 0
    from generate_series(${from}, ${to}) n cross join lateral (${WITH_TLD}) as one`;
  const plan = async (database: pg.Client) => [
    {
      what: 'writing accounts',
      text: `insert into accounts (id, name, plan, created_at)
             select ${account('a')}, 'bench', 'selfhost', now() from generate_series(1, ${others + 2}) a`,
    },
    ...(await loadSteps(database, ['watched_names', 'watch_entries'], size, inserts)),
    {
      what: 'counting entries',
      text: `insert into entry_counts (account_id, entries)
             select account_id, count(*) from watch_entries group by account_id`,
    },
  ];
  return { kind: 'watchlists', size, plan };
}

const WITH_TLD = `select ('{${TLDS.join()}}'::text[])[1 + n % ${TLDS.length}] as tld, ('{${WORDS.join()}}'::text[])[1 + n % ${WORDS.length}] as word`;
const DOMAIN = `case when n % 50 = 7 then 'xn--bcher-' || n || '-kva.' else word || '-' || substr(md5(n::text), 1, 4) || n || '.' end || tld`;

function account(nth: string): string {
  return `'acc_' || lpad((${nth})::text, 26, '0')`;
}
