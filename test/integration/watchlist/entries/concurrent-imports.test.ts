import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startTestService } from '../../../support/servers/test-service.js';
import { runService } from '../run-service.js';

const { running, call, query } = runService({ ROLE: 'api' });

const named = (label: string, count: number) => Array.from({ length: count }, (_, n) => `${label}-${n}.test`);
const anAccount = async () => (await running.service.openAccount()).key;
const send = async (names: readonly string[], key: string, interval = 60, by = running.service) => {
  const lines = ['domain,interval_minutes', ...names.map((name) => `${name},${interval}`)];
  const headers = { 'content-type': 'text/csv' };
  return (await by.call({ method: 'POST', path: '/v1/watchlist/import', body: lines.join('\n'), headers, key })).body;
};
const namesLike = async (label: string) => {
  const { rows } = await query<{ domain: string; minutes: number; due: boolean }>(
    `select domain, interval_minutes as minutes, next_check_at <= now() + interval '1 second' as due from watched_names
     where domain like $1 order by domain`,
    [`${label}-%`],
  );
  return rows;
};

describe('imports of the same names', () => {
  it('make every name due at once, and keep the shorter of two accounts’ check intervals', async () => {
    await send(named('slow', 2), await anAccount(), 1_440);
    await send(named('fast', 2), await anAccount(), 5);
    await query(`update watched_names set next_check_at = now() + interval '1 day'`);
    await send([...named('slow', 2), ...named('fast', 2)], await anAccount(), 60);
    expect(await namesLike('slow')).toEqual(named('slow', 2).map((domain) => ({ domain, minutes: 60, due: true })));
    expect(await namesLike('fast')).toEqual(named('fast', 2).map((domain) => ({ domain, minutes: 5, due: true })));
  });

  it('show a new entry without the facts that another account’s entry already has', async () => {
    await send(['known-1.test'], await anAccount());
    await query(
      `update watched_names set facts = '{"outcome":"found","statuses":["pending delete"],"registeredAt":null,
         "expiresAt":"2027-01-01T00:00:00.000Z","registrable":"no"}', source = 'sandbox', facts_since = now(),
         facts_confirmed_at = now(), last_checked_at = now() where domain = 'known-1.test'`,
    );
    const key = await anAccount();
    await send(['known-1.test'], key);
    const { body } = await call({ path: '/v1/watchlist?expand=lifecycle', key });
    expect(body['data']).toMatchObject([
      { domain: 'known-1.test', status: 'registered', last_checked_at: null, lifecycle: null },
    ]);
    expect((await call({ path: '/v1/watchlist?expires_within_days=365', key })).body).toMatchObject({ data: [] });
  });

  it('all succeed when three accounts import at once, in different orders', async () => {
    const names = named('crowd', 300);
    const lists = [names, names.toReversed(), names.toReversed()];
    const sums = await Promise.all(lists.map(async (list) => send(list, await anAccount())));
    for (const sum of sums) expect(sum).toMatchObject({ created: 300, failed: 0 });
    expect(await namesLike('crowd')).toHaveLength(300);
  });

  it('add each name once when one account imports the same file twice at once', async () => {
    const key = await anAccount(); // a process runs one import per account at a time
    const other = await startTestService({ ROLE: 'api', DATABASE_URL: running.service.databaseUrl });
    const sums = await Promise.all([running.service, other].map((one) => send(named('same', 600), key, 60, one)));
    await other.close();
    expect(sums.map(({ failed }) => failed)).toEqual([0, 0]);
    expect(sums.reduce((all, { created }) => all + Number(created), 0)).toBe(600);
  });

  it('hold no lock on one name while they wait for another that a transaction locked', async () => {
    const [one, two] = ['held-1.test', 'held-2.test'];
    await send([one, two], await anAccount());
    const lock = (domain: string) => query('select 1 from watched_names where domain = $1 for update', [domain]);
    const account = await running.service.openAccount();
    await query('begin');
    await lock(two);
    const sum = send([one, two], account.key);
    await untilWatched(account.id, one);
    await lock(one); // it would wait for ever for an import that waits for the other name
    await query('commit');
    expect(await sum).toMatchObject({ created: 2, failed: 0 });
  });
});

async function untilWatched(accountId: string, domain: string): Promise<void> {
  const other = new pg.Client(running.service.databaseUrl);
  await other.connect();
  const text = 'select 1 from watch_entries where account_id = $1 and domain = $2';
  while ((await other.query(text, [accountId, domain])).rows.length === 0);
  await other.end();
}
