import type pg from 'pg';
import type { Seed } from '../seeded-postgres.js';
import { loadSteps } from '../seeding.js';

const TLDS = 'com net org info biz dev app shop online xyz de nl eu uk fr ch se io co me'.split(' ');
/** A registry's answer for a registered name. */
export const FACTS = JSON.stringify({
  outcome: 'found',
  statuses: ['client delete prohibited', 'client transfer prohibited'],
  registrable: 'no',
  registeredAt: '1997-09-15T04:00:00.000Z',
  expiresAt: '2027-09-14T04:00:00.000Z',
  publishesExpiry: true,
  quarantine: null,
});

/** Coprime to every power of ten: neighbours in the order of their due times are far apart in the table. */
const STRIDE = 7_368_787;

/**
 * So many names of twenty operators, as they are after each one was checked. They fall due within a day from now,
 * evenly, each operator's share at any time, and in no order that the table knows. Vacuum comes when the bench says.
 */
export function dueNames(size: number): Seed {
  const start = new Date().toISOString();
  const inserts = (from: number, to: number) => `
    insert into watched_names (domain, operator, urgency, interval_minutes, next_check_at, facts, source, facts_since,
      facts_confirmed_at, last_checked_at, revision)
    select substr(md5(n::text), 1, 2 + n % 11) || '-' || n || '.' || tld, 'registry of ' || tld,
      case n / ${TLDS.length} % 100 when 0 then 0 when 1 then 1 else 2 end, 1440,
      '${start}'::timestamptz + interval '1 day' * ((n::bigint * ${STRIDE} % ${size} + 0.5) / ${size}), '${FACTS}', 'rdap',
      '${start}', '${start}', '${start}', 1
    from generate_series(${from}, ${to}) n
      cross join lateral (select ('{${TLDS.join()}}'::text[])[1 + n % ${TLDS.length}] as tld) as one`;
  const plan = async (database: pg.Client) => [
    ...(await loadSteps(database, ['watched_names'], size, inserts)),
    ...['watched_names', 'check_leases'].map((table) => ({
      what: `no autovacuum of ${table}`,
      text: `alter table ${table} set (autovacuum_enabled = off)`,
    })),
  ];
  return { kind: 'names', size, plan };
}
