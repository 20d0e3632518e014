import type pg from 'pg';

const TLDS = 'com net org info biz dev app shop online xyz de nl eu uk fr ch se io co me'.split(' ');
/** What a registry answers for a registered name. */
const FACTS = JSON.stringify({
  ...{ outcome: 'found', statuses: ['client delete prohibited', 'client transfer prohibited'], registrable: 'no' },
  ...{ registeredAt: '1997-09-15T04:00:00.000Z', expiresAt: '2027-09-14T04:00:00.000Z' },
  ...{ publishesExpiry: true, quarantine: null },
});

/** Coprime to every power of ten: neighbours in the order of their due times are far apart in the table. */
const STRIDE = 7_368_787;

const INSERT = `
  insert into watched_names (domain, operator, urgency, interval_minutes, next_check_at, facts, source, proven_since,
    proof_at, last_checked_at, revision)
  select substr(md5(n::text), 1, 2 + n % 11) || '-' || n || '.' || tld, 'registry of ' || tld,
    case n / $4 % 100 when 0 then 0 when 1 then 1 else 2 end, 1440,
    $2::timestamptz + interval '1 day' * ((n::bigint * ${STRIDE} % $1 + 0.5) / $1), $5, 'rdap', $2, $2, $2, 1
  from generate_series(1, $1::int) n cross join lateral (select ($3::text[])[1 + n % $4::int] as tld) as one`;

/**
 * So many names of twenty operators, as they are after each one was checked. They fall due within a day from `start`,
 * evenly, each operator's share at any time, and in no order that the table knows.
 */
export async function fillWithNames(database: pg.Client, names: number, start: Date): Promise<void> {
  await database.query(`set maintenance_work_mem = '1GB'`);
  await withoutIndexes(database, () => database.query(INSERT, [names, start, TLDS, TLDS.length, FACTS]));
  await database.query('vacuum (analyze)'); // as autovacuum would have done by then
  await database.query('checkpoint');
}

interface Defined {
  readonly drop: string;
  readonly create: string;
}

/** Made in one go when all rows are there, they take a fraction of the time. */
const INDEXES = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where contype in ('p', 'f') and 'watched_names'::regclass in (conrelid, confrelid)
  order by contype = 'p'`;
const OTHER_INDEXES = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
  from pg_index where indrelid = 'watched_names'::regclass and not indisprimary`;

async function withoutIndexes(database: pg.Client, work: () => Promise<unknown>): Promise<void> {
  const all = [...(await defined(database, INDEXES)), ...(await defined(database, OTHER_INDEXES))];
  for (const { drop } of all) await database.query(drop);
  await work();
  for (const { create } of all.reverse()) await database.query(create);
}

async function defined(database: pg.Client, text: string): Promise<Defined[]> {
  return (await database.query<Defined>(text)).rows;
}
