import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import type { SqlStatement } from '../../../../src/platform/database/sql.js';
import { mostRowsRead } from '../../../support/database/rows-read.js';
import { runService } from '../run-service.js';

/** Entries of the account, among as many names that only other accounts watch. */
const ENTRIES = 6_000;
const STATUSES = ['available', 'registered', 'expiring', 'pending_delete'];

const { running, call, query, part } = runService({ ROLE: 'api' });
let run: { statement: SqlStatement; values: readonly unknown[] }[];

beforeAll(async () => {
  await fill(running.service.account.id, (await running.service.openAccount()).id);
  run = [];
  const statements = part(SqlClient);
  const original = statements.run.bind(statements);
  jest.spyOn(statements, 'run').mockImplementation((statement, values = []) => {
    if (/^(list|export|removed_of|entries_details|history_phases)/.test(statement.name))
      run.push({ statement, values });
    return original(statement, values);
  });
});

/** Every third name has no answer yet, every fifth of the others no expiry date; ids are in random order. */
async function fill(account: string, other: string): Promise<void> {
  await query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at, facts, last_checked_at)
     select 'name-' || n || '.test', 'sandbox', 360, now() + interval '1 day',
       case when n % 3 > 0 then json_build_object('outcome', 'found', 'statuses', '[]'::json, 'registeredAt', null,
         'registrable', 'no', 'expiresAt', case when n % 5 > 0 then to_char(
           timestamptz '2027-01-01' + (n * 7919 % 4000) * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end)::text end,
       case when n % 3 > 0 then now() - (n * 7907 % 20000) * interval '1 second' end
     from generate_series(1, $1::int) n`,
    [2 * ENTRIES],
  );
  await query(
    `insert into watch_entries (id, account_id, domain, interval_minutes,
       expiring_window_days, status, phase,
       change_seq, has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
     select 'wl_' || substr(md5(n::text), 1, 26), case when n % 2 = 0 then $2 else $3 end, 'name-' || n || '.test', 360, 30,
       ($4::text[])[1 + n / 2 % 4], 'registered', 0, false, false, case when n % 100 = 0 then '{rare}'::text[] else '{}' end,
       'monitor', now() - interval '1 day' - (n * 31 % 5000) * interval '1 second', now()
     from generate_series(1, $1::int) n`,
    [2 * ENTRIES, account, other, STATUSES],
  );
  await query(
    `update watch_entries e set answered = n.last_checked_at is not null, has_confirmed_facts = true,
       searched_text = case when e.tags <> '{}' then e'rare\\x1frare\\x1f' end,
       expires_at = (n.facts::jsonb ->> 'expiresAt')::timestamptz
     from watched_names n where n.domain = e.domain`,
  );
  await query('insert into entry_counts select account_id, count(*) from watch_entries group by account_id');
  await query('vacuum (analyze) watch_entries, watched_names, entry_counts').catch(() => undefined);
  await query('analyze');
}

const list = async (query: string) => {
  run = [];
  const { body } = await call({ path: `/v1/watchlist?${query}` });
  const { total } = body['meta'] as { total: number };
  return { ids: (body['data'] as { id: string }[]).map(({ id }) => id), total };
};

/** The expected page: PostgreSQL sorts all entries. */
async function wanted(key: string, isDescending: boolean, page: number, where = 'true') {
  const expiry = `(n.facts::jsonb ->> 'expiresAt')::timestamptz`;
  const columns: Record<string, string> = {
    soonest_expiry: expiry,
    expires_at: expiry,
    last_checked_at: 'n.last_checked_at',
  };
  const [way, nulls] = isDescending
    ? ['desc', 'nulls last']
    : ['asc', key === 'soonest_expiry' ? 'nulls last' : 'nulls first'];
  const { rows } = await query<{ id: string }>(
    `select e.id from watch_entries e join watched_names n on n.domain = e.domain where e.account_id = $1 and ${where}
     order by ${columns[key] ?? `e.${key}`} ${way} ${nulls}, e.id ${way} limit 20 offset $2`,
    [running.service.account.id, (page - 1) * 20],
  );
  return rows.map(({ id }) => id);
}

const rowsRead = () => mostRowsRead(running.service.databaseUrl, run);

const KEYS = ['created_at', 'domain', 'status', 'last_checked_at', 'expires_at'];
const ORDERS = [...KEYS.flatMap((key) => [key, `-${key}`]), 'soonest_expiry'];

describe('a page of a long list', () => {
  it.each(ORDERS)(
    'shows the right entries sorted by %s, and reads few rows except for last_checked_at',
    async (sort) => {
      const [key, isDescending] = [sort.replace('-', ''), sort.startsWith('-')];
      for (const page of [1, 100, 200, 201, 300]) {
        const { ids, total } = await list(`sort=${sort}&page=${page}`);
        expect(ids).toEqual(await wanted(key, isDescending, page));
        expect(ids).toHaveLength(20);
        expect(total).toBe(ENTRIES);
        expect(run).toHaveLength(2);
        if (key === 'last_checked_at') continue; // reads all entries of the account
        if (page === 1) expect(await rowsRead()).toBeLessThan(250);
        if (page === 100) expect(await rowsRead()).toBeLessThan(3 * 2_000);
      }
      expect((await list(`sort=${sort}&page=301`)).total).toBe(ENTRIES);
    },
  );

  it.each(ORDERS)(
    'shows the right entries filtered and sorted by %s, and reads few rows except for last_checked_at',
    async (sort) => {
      const [key, isDescending] = [sort.replace('-', ''), sort.startsWith('-')];
      const filters = [
        ['status=expiring', `e.status = 'expiring'`, ENTRIES / 4],
        ['domain=name-99', `e.domain like 'name-99%'`, 600],
        ['tag=rare', `'rare' = any(e.tags)`, 500],
      ] as const;
      for (const [query, where, most] of filters) {
        const { ids } = await list(`sort=${sort}&${query}`);
        expect(ids).toEqual(await wanted(key, isDescending, 1, where));
        if (key !== 'last_checked_at') expect(await rowsRead()).toBeLessThanOrEqual(most);
      }
    },
  );
});

describe('a page expanded with details and phases', () => {
  it('reads fewer than 250 rows although 12 000 names are watched at one registry operator', async () => {
    await list('expand=details,record,phases');
    expect(run.map(({ statement }) => statement.name)).toEqual(
      expect.arrayContaining(['entries_details', 'history_phases']),
    );
    expect(await rowsRead()).toBeLessThan(250);
  });
});

describe('an export of a long list', () => {
  it('contains each entry once, and reads at most 200 rows per batch', async () => {
    run = [];
    const { body } = await call({ path: '/v1/watchlist/export?format=csv' });
    const lines = String(body['text']).split('\r\n');
    expect([lines.length, new Set(lines).size]).toEqual([ENTRIES + 2, ENTRIES + 2]);
    expect(run.length).toBeGreaterThan(1);
    for (const page of run) expect(await mostRowsRead(running.service.databaseUrl, [page])).toBeLessThanOrEqual(200);
  });
});

describe('a page of many removed entries', () => {
  const REMOVED = 6_000;

  beforeAll(async () => {
    await query(
      `insert into removed_entries (id, account_id, domain, added_at, removed_at)
       select 'wl_' || substr(md5('removed' || n), 1, 26), case when n % 2 = 0 then $2 else $3 end,
         'name-' || n % 1000 || '.test', now() - interval '1 year', now() - (n * 7919 % 5000) * interval '1 minute'
       from generate_series(1, $1::int) n`,
      [2 * REMOVED, running.service.account.id, (await running.service.openAccount()).id],
    );
    await query('analyze removed_entries');
  });

  it('counts only the account’s own entries, and reads at most 41 rows to show page two', async () => {
    run = [];
    const { body } = await call({ path: '/v1/watchlist/removed?page=2' });
    expect(body['meta']).toMatchObject({ total: REMOVED });
    expect(run).toHaveLength(2);
    expect(await rowsRead()).toBeLessThanOrEqual(REMOVED);
    const pages = run.filter(({ statement }) => statement.name.endsWith('_page'));
    expect(await mostRowsRead(running.service.databaseUrl, pages)).toBeLessThanOrEqual(41);
  });

  it('reads only the twelve matching rows if filtered by one name', async () => {
    run = [];
    const { body } = await call({ path: '/v1/watchlist/removed?domain=name-10.test' });
    expect(body['meta']).toMatchObject({ total: 12 });
    expect(run).toHaveLength(2);
    expect(await rowsRead()).toBeLessThanOrEqual(12);
  });
});

describe('the total of a watchlist', () => {
  const total = async () => (await list('')).total;
  const add = (domain: string) => call({ method: 'POST', path: '/v1/watchlist', body: { domain } });

  it('is exact after every addition and removal', async () => {
    const { body } = await add('one-more.test');
    expect(await total()).toBe(ENTRIES + 1);
    await call({ method: 'DELETE', path: `/v1/watchlist/${String(body['id'])}` });
    expect(await total()).toBe(ENTRIES);
    const file = ['domain', ...Array.from({ length: 700 }, (_, n) => `imported-${n}.test`), 'name-2.test'].join('\n');
    const headers = { 'content-type': 'text/csv' };
    await call({ method: 'POST', path: '/v1/watchlist/import', body: file, headers });
    expect(await total()).toBe(ENTRIES + 700);
    await call({ method: 'DELETE', path: '/v1/watchlist?domain=imported-' });
    expect(await total()).toBe(ENTRIES);
  });
});
