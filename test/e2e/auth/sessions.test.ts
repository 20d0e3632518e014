import { describe, expect, it } from '@jest/globals';
import { AccountLifecycle } from '../../../src/auth/accounts/account-lifecycle.js';
import { Sessions } from '../../../src/auth/sessions/sessions.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { OWN, Person } from '../../support/servers/people.js';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

const PUBLIC_URL = 'https://names.example';

const service = running(() => startTestService({ ROLE: 'api' }));
/** A second process on the same database, behind TLS and below a path. */
const proxied = running(() =>
  startTestService({ ROLE: 'api', PUBLIC_URL: `${PUBLIC_URL}/names`, DATABASE_URL: service.databaseUrl }),
);

const start = (key: string | null = service.account.key, call: Partial<Call> = {}, at: TestService = service) =>
  at.call({ method: 'POST', path: '/v1/sessions', key, ...call });
const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).replace(/;.*/, '');
const byCookie = (cookie: string, call: Partial<Call> = {}, at: TestService = service) =>
  at.call({ path: '/v1/me', key: null, ...call, headers: { cookie, ...OWN, ...call.headers } });

/** An account of its own, with the cookie of a browser. */
async function signIn() {
  const { id, key } = await service.openAccount();
  const answer = await start(key);
  return { accountId: id, key, cookie: cookieOf(answer), id: String(answer.body['id']) };
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);

describe('a session', () => {
  it('acts as the API key that started it, without sending the key', async () => {
    const { accountId, cookie } = await signIn();
    expect(await byCookie(cookie)).toMatchObject({
      status: 200,
      body: { account: { id: accountId }, key: { name: 'first' } },
    });
    const added = { method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' } };
    expect((await byCookie(cookie, added)).status).toBe(201);
  });

  it('has a cookie with HttpOnly and SameSite=Lax, and over HTTPS with Secure', async () => {
    const { headers } = await start();
    expect(headers['set-cookie']).toMatch(
      /^namewatch=ses_[0-9a-z]{26}\.[\w-]{43}; .*Path=\/;.* HttpOnly; SameSite=Lax$/,
    );
    const secure = await start(service.account.key, {}, proxied);
    expect(secure.headers['set-cookie']).toMatch(
      /^__Secure-namewatch=.*Path=\/names\/;.* HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await byCookie(cookieOf(secure), {}, proxied)).status).toBe(200);
  });

  it('cannot begin over plain HTTP at a host other than localhost', async () => {
    const answer = await start(service.account.key, { headers: { host: 'names.example' } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('gets a new token at each sign-in, which ends the browser’s previous session', async () => {
    const { key, cookie } = await signIn();
    const again = await start(key, { headers: { cookie } });
    expect(cookieOf(again)).not.toBe(cookie);
    await eventually(
      () => byCookie(cookie),
      ({ status }) => status === 401,
    );
    expect((await byCookie(cookieOf(again))).status).toBe(200);
    // One of somebody else that was planted in the browser stays what it is: only who knows its secret ends it.
    const planted = `${cookieOf(again).slice(0, -4)}AAAA`;
    await start(key, { headers: { cookie: planted } });
    expect((await byCookie(cookieOf(again))).status).toBe(200);
  });

  it('does not store the secret of its cookie in the database', async () => {
    const { cookie, id } = await signIn();
    const { rows } = await service.query('select s::text as row from sessions s where id = $1', [id]);
    expect(String(rows[0]?.['row'])).not.toContain(cookie.split('.')[1]);
  });

  it('still works in a process that starts later', async () => {
    const { cookie, accountId } = await signIn();
    const restarted = await startTestService({ ROLE: 'api', DATABASE_URL: service.databaseUrl });
    const answer = await byCookie(cookie, {}, restarted);
    await restarted.close();
    expect(answer).toMatchObject({ status: 200, body: { account: { id: accountId } } });
  });

  it('begins only with an API key, not with a cookie or without credentials', async () => {
    const { cookie } = await signIn();
    expect(await byCookie(cookie, { method: 'POST', path: '/v1/sessions' })).toMatchObject({ status: 400 });
    expect(await start(null)).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
  });
});

describe('a request with a session cookie', () => {
  const attacks = {
    'a form of another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'a form of a sibling host': { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' },
    'a form of another site in an old browser': { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    'a sandboxed frame': { 'sec-fetch-site': undefined, origin: 'null' },
    'a form of this origin, without the header of the dashboard': { 'x-requested-with': undefined },
    'a program that sends no origin': { 'sec-fetch-site': undefined },
    'a URL typed into the address bar': { 'sec-fetch-site': 'none' },
  };

  it.each(Object.entries(attacks))('changes nothing when it comes from %s', async (_, sent) => {
    const { cookie } = await signIn();
    const headers = Object.fromEntries(
      Object.entries({ cookie, ...OWN, ...sent }).filter((one): one is [string, string] => one[1] !== undefined),
    );
    const call = { path: '/v1/watchlist', key: null, headers };
    const answer = await service.call({ ...call, method: 'POST', body: { domain: 'a.test' } });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden_origin' } });
    expect((await byCookie(cookie, { path: '/v1/watchlist' })).body).toMatchObject({ meta: { total: 0 } });
  });

  it('is accepted from the dashboard even if the browser sends only an Origin header', async () => {
    const { cookie } = await signIn();
    const headers = { cookie, 'x-requested-with': 'namewatch', origin: 'http://localhost', host: 'localhost' };
    const added = { method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' }, key: null, headers };
    expect((await service.call(added)).status).toBe(201);
  });

  it('is also refused for reading if another site sends it', async () => {
    const { cookie } = await signIn();
    const read = (site: string) => byCookie(cookie, { headers: { 'sec-fetch-site': site } });
    expect(statusesOf([await read('cross-site'), await read('same-site'), await read('none')])).toEqual([
      403, 403, 200,
    ]);
  });

  it('is authenticated by its API key if it has one too', async () => {
    const { cookie } = await signIn();
    const other = await service.openAccount();
    const both = { cookie, 'sec-fetch-site': 'cross-site' };
    expect(await service.call({ path: '/v1/me', key: other.key, headers: both })).toMatchObject({
      status: 200,
      body: { account: { id: other.id } },
    });
    expect((await service.call({ path: '/v1/me', key: 'nw_wrong', headers: { cookie, ...OWN } })).status).toBe(401);
  });

  it('is refused if it has two session cookies, or one with the prefix __Host-', async () => {
    const [mine, theirs] = [await signIn(), await signIn()];
    expect(statusesOf([await byCookie(`${mine.cookie}; ${theirs.cookie}`), await byCookie(mine.cookie)])).toEqual([
      401, 200,
    ]);
    // The prefix keeps others from setting this one.
    expect((await byCookie(`__Host-${mine.cookie}`)).status).toBe(401);
  });

  it.each([
    'namewatch=',
    'namewatch=x',
    'namewatch=ses_1.2',
    `namewatch=${'a'.repeat(5_000)}`,
    'namewatch="; namewatch',
  ])('is refused with this malformed cookie: %s', async (cookie) => {
    expect(await byCookie(cookie)).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  });

  it('may also carry cookies of other applications, which are ignored', async () => {
    const { cookie } = await signIn();
    expect((await byCookie(`theme=dark; ${cookie}; namewatch-theme=x; a=b`)).status).toBe(200);
    expect(await byCookie('theme=dark')).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
  });

  it('can open the event stream', async () => {
    const { cookie } = await signIn();
    const stream = await byCookie(cookie, { path: '/v1/events/stream?for_seconds=1' });
    expect(stream).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  });
});

describe('an open session', () => {
  it('ends on every process when the browser signs out, also for a copied cookie', async () => {
    const { cookie, key } = await signIn();
    const signedOut = await byCookie(cookie, { method: 'DELETE', path: '/v1/sessions/current' });
    expect(signedOut).toMatchObject({ status: 204 });
    expect(signedOut.headers['set-cookie']).toMatch(/^namewatch=; Max-Age=0/);
    await eventually(
      () => byCookie(cookie),
      ({ status }) => status === 401,
    );
    expect((await byCookie(`__Secure-${cookie}`, {}, proxied)).status).toBe(401);
    expect((await service.call({ path: '/v1/me', key })).status).toBe(200);
  });

  it('ends within two seconds after its API key is revoked', async () => {
    const { cookie, key } = await signIn();
    const issued = await service.call({ method: 'POST', path: '/v1/keys', key, body: { name: 'desk' } });
    const desk = cookieOf(await start(String(issued.body['key'])));
    expect((await byCookie(desk)).status).toBe(200);
    await byCookie(cookie, { method: 'DELETE', path: `/v1/keys/${String(issued.body['id'])}` });
    const askedAt = performance.now();
    await eventually(
      () => byCookie(desk),
      ({ status }) => status === 401,
    );
    expect(performance.now() - askedAt).toBeLessThan(2_000);
  });

  it('ends when its account is suspended, and is deleted with the account', async () => {
    const { cookie, accountId, id } = await signIn();
    await service.get(AccountLifecycle).suspend(accountId);
    await eventually(
      () => byCookie(cookie),
      ({ status }) => status === 401,
    );
    await service.get(AccountLifecycle).delete(accountId);
    expect((await service.query('select from sessions where id = $1', [id])).rowCount).toBe(0);
  });

  it('ends a week after its last request, or when its end date is reached', async () => {
    const { id, cookie } = await signIn();
    const ends = { "used_at = now() - interval '8 days'": 401, 'ends_at = now()': 401 };
    for (const [change, status] of Object.entries(ends)) {
      await service.query(`update sessions set ${change} where id = $1`, [id]);
      await eventually(
        () => byCookie(cookie),
        (answer) => answer.status === status,
      );
      await service.query(`update sessions set used_at = now(), ends_at = now() + interval '1 day' where id = $1`, [
        id,
      ]);
      await eventually(
        () => byCookie(cookie),
        (answer) => answer.status === 200,
      );
    }
    await service.query(`update sessions set ends_at = now() where id = $1`, [id]);
    await service.get(Sessions).purge();
    expect((await service.query('select from sessions where id = $1', [id])).rowCount).toBe(0);
  });

  it('can be ended from another session of the same key, alone or with all others', async () => {
    const { key, cookie, id } = await signIn();
    const [second, third] = [await start(key), await start(key)];
    const end = (sessionId: unknown, by: string) =>
      byCookie(by, { method: 'DELETE', path: `/v1/sessions/${String(sessionId)}` });
    expect((await end(second.body['id'], cookie)).status).toBe(204);
    const { body } = await byCookie(cookie, { path: '/v1/sessions' });
    expect(body['data']).toMatchObject([
      { id: third.body['id'], current: false, address: '127.0.0.1' },
      { id, current: true },
    ]);
    expect((await byCookie(cookie, { method: 'DELETE', path: '/v1/sessions' })).body).toEqual({ ended: 1 });
    expect((await end(id, (await signIn()).cookie)).status).toBe(404);
    expect((await end('ses_1', cookie)).status).toBe(404);
  });

  it('remains while it is one of the newest 100; a new sign-in ends older ones', async () => {
    const { key, cookie, accountId, id } = await signIn();
    await service.query(
      `insert into sessions (id, digest, key_id, created_at, used_at, ends_at)
       select 'ses_' || lpad(n::text, 26, '0'), '', key_id, now() - interval '1 day', now(), ends_at
       from sessions, generate_series(1, 10000) n where id = $1`,
      [id],
    );
    await start(key);
    const left = `select count(*)::int as sessions from sessions s join api_keys k on k.id = s.key_id where k.account_id = $1`;
    expect((await service.query(left, [accountId])).rows).toEqual([{ sessions: 100 }]);
    expect((await byCookie(cookie)).status).toBe(200);
  });
});

describe('the audit trail', () => {
  it('records who signed in and out, and from which address', async () => {
    const { cookie, key, id } = await signIn();
    await byCookie(cookie, { method: 'DELETE', path: '/v1/sessions/current' });
    // The trail shows a record when every transaction before it has ended, those of other suites on this server included.
    const { body } = await eventually(
      () => service.call({ path: '/v1/audit?action=session.*', key }),
      (answer) => (answer.body['data'] as unknown[]).length === 2,
    );
    expect(body['data']).toMatchObject([
      { action: 'session.started', target_id: id, actor: { type: 'key', name: 'first' }, address: '127.0.0.1' },
      { action: 'session.ended', target_id: id, actor: { type: 'key', name: 'first' } },
    ]);
  });
});

describe('signing out and listing sessions', () => {
  const list: Call = { path: '/v1/sessions' };
  const signOut: Call = { method: 'DELETE', path: '/v1/sessions/current' };

  it.each(['a suspended account', 'no account', 'another account, after leaving the one that the request names'])(
    'work for somebody with %s',
    async (has) => {
      const [own, other] = [await service.openAccount(), await service.openAccount()];
      const ann = await Person.of(service, { [own.id]: 'viewer', [other.id]: 'viewer' });
      const [cookie, desk] = [await ann.signIn(own.id), await ann.signIn(own.id)];
      if (has === 'a suspended account') await ann.leave(other.id);
      if (has === 'a suspended account') await service.get(AccountLifecycle).suspend(own.id);
      else await ann.leave(own.id);
      if (has === 'no account') await ann.leave(other.id);
      const headers = { 'x-namewatch-account': own.id };
      await eventually(
        () => byCookie(cookie, { headers }),
        ({ status }) => status !== 200,
      );
      const { status, body } = await byCookie(cookie, { ...list, headers });
      expect([status, body['data']]).toEqual([200, [expect.anything(), expect.anything()]]);
      const { id } = (body['data'] as { id: string; current: boolean }[]).find(({ current }) => !current) ?? { id: '' };
      expect((await byCookie(cookie, { method: 'DELETE', path: `/v1/sessions/${id}`, headers })).status).toBe(204);
      const left = await byCookie(cookie, { ...signOut, headers });
      expect(left).toMatchObject({ status: 204, headers: { 'set-cookie': expect.stringMatching('Max-Age=0') } });
      expect((await service.query('select from sessions where person_id = $1', [ann.id])).rowCount).toBe(0);
      await eventually(
        () => byCookie(desk, list),
        (answer) => answer.status !== 200,
      );
    },
  );

  it('are refused to other sites, and for sessions of other people', async () => {
    const [mine, theirs] = [await signIn(), await signIn()];
    expect((await byCookie(mine.cookie, { ...list, headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    expect((await byCookie(mine.cookie, { method: 'DELETE', path: `/v1/sessions/${theirs.id}` })).status).toBe(404);
    expect((await byCookie(theirs.cookie)).status).toBe(200);
  });
});
