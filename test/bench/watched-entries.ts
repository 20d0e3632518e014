import type pg from 'pg';
import type { Seed } from './seeded-postgres.js';
import { loadSteps } from './seeding.js';

/** The answer of `watch/registry.ts` for every name, as a check stores it. */
const FACTS = JSON.stringify({
  statuses: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  registeredAt: '1997-09-15T04:00:00.000Z',
  expiresAt: '2099-09-14T04:00:00.000Z',
  publishesExpiry: true,
  quarantine: null,
  outcome: 'found',
  registrable: 'no',
});
/** The registration record in that answer, after two checks: names without it take the path of a first check. */
const RECORD_STATE = JSON.stringify({
  nameservers: '-Kkve3FPPQBFH6b3',
  registrar: 'nBXMnEr9EWocKDodT',
  statuses: 'TlUY2yTeDzhbc-n-',
  ds: 'T1PNoYwrqgwDVLtf',
});
const ENTRIES_PER_ACCOUNT = 1_000;
/** The operator of all names; the settings of a service that checks them name it. */
export const OPERATOR = 'bench registry';
/** Names are due when the bench says so, also when it opens what it seeded months ago. */
const NOT_SOON = `now() + interval '10 years'`;
/** Eleven years: a service that starts would repair names whose next check is further away than their interval. */
const INTERVAL_MINUTES = 11 * 366 * 24 * 60;

/**
 * So many names with an entry each, of accounts with 1 000 entries. All were checked before and show what the registry
 * says. An account's entries and the names of one hour are nowhere near each other in their tables.
 */
export function watchedEntries(size: number): Seed {
  const accounts = Math.ceil(size / ENTRIES_PER_ACCOUNT);
  const inserts = (from: number, to: number) => `
    insert into watched_names (domain, operator, interval_minutes, next_check_at, facts, source, facts_since, facts_confirmed_at,
      last_checked_at, revision, record_state)
    select ${domain('n')}, '${OPERATOR}', ${INTERVAL_MINUTES}, ${NOT_SOON} + interval '1 second' * hashint4(n) / 50000, '${FACTS}',
      'rdap', now(), now(), now(), 1, '${RECORD_STATE}'
    from generate_series(${from}, ${to}) n;
    insert into watch_entries (id, account_id, domain, interval_minutes,
      expiring_window_days, status, phase, change_seq,
      has_confirmed_facts, known_registered_at, known_expires_at, boundary_at, paused, tags, purpose, created_at, updated_at,
      expires_at, answered)
    select 'wl_' || lpad(n::text, 26, '0'), ${account(`1 + n % ${accounts}`)}, ${domain('n')}, 1440, 30, 'registered',
      'registered', 0, true, '1997-09-15T04:00:00Z', '2099-09-14T04:00:00Z', ${NOT_SOON}, false, '{}', 'monitor',
      now() - make_interval(mins => n / ${accounts}), now(), '2099-09-14T04:00:00Z', true
    from generate_series(${from}, ${to}) n`;
  const plan = async (database: pg.Client) => [
    {
      what: `writing ${accounts} accounts`,
      text: `insert into accounts (id, name, plan, created_at, is_operator)
             select ${account('a')}, 'bench', 'selfhost', now(), a = 1 from generate_series(1, ${accounts}) a`,
    },
    ...(await loadSteps(database, ['watched_names', 'watch_entries'], size, inserts)),
    {
      what: 'counting entries',
      text: `insert into entry_counts (account_id, entries)
             select account_id, count(*) from watch_entries group by account_id`,
    },
  ];
  return { kind: 'entries', size, plan };
}

/** Names that were checked in an earlier run of the bench, and would be due again in this one. */
export async function postponeDueNames(database: pg.Client): Promise<void> {
  await database.query(
    `update watched_names set next_check_at = ${NOT_SOON}
     where operator = $1 and urgency in (0, 1, 2) and next_check_at < now() + interval '1 hour'`,
    [OPERATOR],
  );
}

function domain(nth: string): string {
  return `substr(md5(${nth}::text), 1, 8) || '-' || ${nth} || '.example'`;
}

function account(nth: string): string {
  return `'acc_' || lpad((${nth})::text, 26, '0')`;
}
