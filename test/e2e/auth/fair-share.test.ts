import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import { statementsDuring } from '../../support/database/statements.js';

const AT_WORK = 2;
const WAITING = 250;
const BEYOND = 5;

/** All requests together have as many connections as two accounts may use. */
const service = running(() =>
  startTestService({ DATABASE_POOL: String(2 * AT_WORK) }, Extensions.none, { accountConcurrency: AT_WORK }),
);

const add = (domain: string, key: string) =>
  service.call({ method: 'POST', path: '/v1/watchlist', body: { domain }, key, once: true });
const addMany = (label: string, count: number, key: string) =>
  Array.from({ length: count }, (_, n) => add(`${label}-${n}.test`, key));
const additionsWaiting = async () => {
  const { rows } = await service.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and not granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
};
describe('an account with many open event streams', () => {
  it('can still send requests, as streams do not count against its concurrent requests', async () => {
    await service.app.listen(0, '127.0.0.1');
    const { key } = await service.openAccount();
    const closed = new AbortController();
    for (let n = 0; n <= 2 * AT_WORK; n += 1) {
      const headers = { authorization: `Bearer ${key}` };
      const url = `${await service.app.getUrl()}/v1/events/stream`;
      const { status } = await fetch(url, { headers, signal: closed.signal });
      expect([n, status]).toEqual([n, 200]);
    }
    expect((await service.call({ path: '/v1/me', key, once: true })).status).toBe(200);
    closed.abort();
  });
});

describe('an account that sends 40 requests at once', () => {
  it.each([
    ['40 additions to the watchlist', 'POST', 201],
    ['40 reads of the watchlist', 'GET', 200],
  ])('has none of them refused if the process is otherwise idle: %s', async (_, method, status) => {
    const { key } = await service.openAccount();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_one, n) => {
        const body = method === 'POST' ? { body: { domain: `at-once-${n}.test` } } : {};
        return service.call({ method, path: '/v1/watchlist', ...body, key, once: true });
      }),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
  });
});

describe('an account with requests stuck in the database', () => {
  let busy: { id: string; key: string };
  let quiet: { id: string; key: string };
  /** Additions of an account wait for each other: this holds them up. */
  const hold = ({ id }: { id: string }) => service.query('select pg_advisory_lock(hashtextextended($1, 1))', [id]);
  const letGo = () => service.query('select pg_advisory_unlock_all()');

  beforeEach(async () => {
    [busy, quiet] = [await service.openAccount(), await service.openAccount()];
    await hold(busy);
  });
  afterEach(letGo);

  it('delays no other account, and gets 429 beyond its limit of concurrent requests', async () => {
    const answered: Answer[] = [];
    const asked = addMany('busy', AT_WORK + WAITING + BEYOND, busy.key).map(async (one) => answered.push(await one));
    await eventually(additionsWaiting, (pids) => pids.length === AT_WORK);
    await eventually(
      () => Promise.resolve(answered.length),
      (refused) => refused >= BEYOND,
    );

    expect((await add('quiet.test', quiet.key)).status).toBe(201);
    expect((await service.call({ path: '/v1/watchlist', key: quiet.key })).status).toBe(200);
    expect(await additionsWaiting()).toHaveLength(AT_WORK);

    await eventually(
      () => Promise.resolve(answered.length),
      (refused) => refused === BEYOND + WAITING,
    );
    for (const refused of answered)
      expect(refused).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        body: { code: 'too_many_concurrent_requests', retryable: true },
      });
    await letGo();
    await Promise.all(asked);
    expect(answered.slice(-AT_WORK).map(({ status }) => status)).toEqual(Array(AT_WORK).fill(201));
    expect((await add('again.test', busy.key)).status).toBe(201);
  });

  it('can still check whether a name is available', async () => {
    const asked = addMany('hung', AT_WORK + 30, busy.key);
    await eventually(additionsWaiting, (pids) => pids.length === AT_WORK);
    const checks = Array.from({ length: 30 }, () =>
      service.call({ path: '/v1/domains/check?domain=registered.test', key: busy.key, once: true }),
    );
    expect(new Set((await Promise.all(checks)).map(({ status }) => status))).toEqual(new Set([200]));
    await letGo();
    await Promise.all(asked);
  });

  it('gets 503 with Retry-After when the database aborts a statement', async () => {
    const asked = add('slow.test', busy.key);
    const [pid] = await eventually(additionsWaiting, (pids) => pids.length === 1);
    await service.query('select pg_cancel_backend($1)', [pid]); // which is what statement_timeout does
    expect(await asked).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.any(String) },
      body: { code: 'database_unavailable', retryable: true },
    });
  });

  it('does not keep the worker from storing check results, even if requests occupy their whole connection pool', async () => {
    await add('checked.test', quiet.key);
    const lastCheck = async () => {
      const { rows } = await service.query<{ at: Date | null }>(
        `select last_checked_at as at from watched_names where domain = 'checked.test'`,
      );
      return rows[0]?.at ?? null;
    };
    const first = await eventually(lastCheck, (at) => at !== null);
    const other = await service.openAccount();
    await hold(other);
    const asked = [busy, other].flatMap(({ key }) => addMany('all', AT_WORK, key));
    await eventually(additionsWaiting, (pids) => pids.length === 2 * AT_WORK);
    await service.query(
      `update watched_names set next_check_at = now(), facts = null, facts_confirmed_at = null, facts_since = null,
         revision = revision + 1 where domain = 'checked.test'`,
    );
    await eventually(lastCheck, (at) => at !== null && first !== null && at > first);
    expect(await additionsWaiting()).toHaveLength(2 * AT_WORK);
    await letGo();
    await Promise.all(asked);
  });
});

describe('hundreds of readiness probes at once', () => {
  it('make the service query its dependencies at most once a second', async () => {
    let answers: Answer[] = [];
    const run = await statementsDuring(async () => {
      const flood = () =>
        Promise.all(Array.from({ length: 200 }, () => service.call({ path: '/readyz', key: null, once: true })));
      answers = [...(await flood()), ...(await flood())];
    }, /^(?!ready$)/);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(run.length).toBeLessThan(10); // one, and one more for each second that it took
  });
});
