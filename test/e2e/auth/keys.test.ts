import { describe, expect, it, jest } from '@jest/globals';
import { AccountAdminService } from '../../../src/auth/index.js';
import { KEY_PAGES } from '../../../src/auth/accounts/api-keys.repository.js';
import { after, Clock } from '../../../src/kernel/clock.js';
import { mostRowsRead } from '../../support/database/rows-read.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const issue = (body: unknown, key = service.account.key) =>
  service.call({ method: 'POST', path: '/v1/keys', body, key });
const list = async (key = service.account.key) =>
  (await service.call({ path: '/v1/keys', key })).body['data'] as Record<string, unknown>[];

describe('API keys', () => {
  it('show their secret text when they are issued, but not in the list', async () => {
    const { status, headers, body } = await issue({ name: 'deploy', scopes: ['watchlist:read'] });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'name', 'scopes', 'expires_at', 'created_at', 'key']);
    expect(headers['location']).toBe(`/v1/keys/${String(body['id'])}`);
    const listed = (await list()).find(({ id }) => id === body['id']);
    const columns = ['id', 'name', 'scopes', 'expires_at', 'created_at', 'last_used_at', 'issued_by'];
    expect(Object.keys(listed ?? {})).toEqual(columns);
    expect(JSON.stringify(await list())).not.toContain(String(body['key']));
  });

  it('show who issued them: the command line or another key', async () => {
    const { id, key } = await service.openAccount();
    const administrator = await service.call({ method: 'GET', path: '/v1/me', key });
    expect(administrator.body).toMatchObject({ account: { id }, key: { issued_by: 'cli' } });
    const { body } = await issue({ name: 'second' }, key);
    const issuer = (administrator.body['key'] as { id: string }).id;
    expect((await list(key)).find((one) => one['id'] === body['id'])).toMatchObject({ issued_by: issuer });
  });

  it('are limited to 25 active keys per account, even if many are requested at once', async () => {
    const { key } = await service.openAccount();
    for (let n = 0; n < 20; n += 1) await issue({ name: 'many' }, key);
    // More at a time than the account may have at work are refused with 503, and may be asked again.
    const ask = () =>
      eventually(
        () => issue({ name: 'many' }, key),
        ({ status }) => status !== 503,
      );
    const last = await Promise.all(Array.from({ length: 8 }, ask));
    expect(last.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(4).fill(201),
      ...Array<number>(4).fill(403),
    ]);
    expect(await issue({ name: 'more' }, key)).toMatchObject({
      status: 403,
      body: { code: 'plan_limit_reached', limit: 25 },
    });
    const [revoked] = (await list(key)).filter(({ name }) => name === 'many');
    await service.call({ method: 'DELETE', path: `/v1/keys/${String(revoked?.['id'])}`, key });
    expect((await issue({ name: 'again' }, key)).status).toBe(201);
  });

  it('are listed in pages, with a link to the next page', async () => {
    const { key } = await service.openAccount();
    for (const name of ['a', 'b', 'c', 'd']) await issue({ name }, key);
    const page = await service.call({ path: '/v1/keys?page=2&per_page=2', key });
    expect(page.body).toMatchObject({ data: [{ name: 'b' }, { name: 'c' }], meta: { page: 2, per_page: 2, total: 5 } });
    expect(page.headers['link']).toContain('</v1/keys?page=3&per_page=2>; rel="next"');
    expect((await service.call({ path: '/v1/keys?per_page=101', key })).status).toBe(400);
  });

  it('do not slow down the list after they were revoked, and are deleted a month later', async () => {
    const { id, key } = await service.openAccount();
    await service.query(
      `insert into api_keys (id, account_id, name, digest, scopes, created_at, revoked_at, issued_by)
       select 'key_revoked' || n, $1, 'first', '', '{}', now(), now() - interval '31 days', 'cli'
       from generate_series(1, 11000) n`,
      [id],
    );
    await service.query('analyze api_keys');
    const { page, count } = KEY_PAGES.unrevoked;
    const statements = [
      { statement: page, values: [id, 20, 0] },
      { statement: count, values: [id] },
    ];
    expect(await mostRowsRead(service.databaseUrl, statements)).toBeLessThan(50);
    expect((await service.call({ path: '/v1/keys', key })).body).toMatchObject({ meta: { total: 1 } });
    await service.get(AccountAdminService).purgeEndedKeys();
    const { rows } = await service.query('select 1 from api_keys where account_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  it('are still kept a month after they were revoked if they came from BOOTSTRAP_API_KEY', async () => {
    await service.query(
      `insert into api_keys (id, account_id, name, digest, scopes, created_at, revoked_at, issued_by)
       values ('key_bootstrap', $1, 'first', '', '{}', now(), now() - interval '31 days', 'bootstrap')`,
      [service.account.id],
    );
    await service.get(AccountAdminService).purgeEndedKeys();
    const { rows } = await service.query(`select id from api_keys where digest = '' order by id`);
    expect(rows).toEqual([{ id: 'key_bootstrap' }]);
  });

  it('are not deleted while they are active, or soon after they were revoked', async () => {
    const { key } = await service.openAccount();
    const { body } = await issue({ name: 'gone' }, key);
    await service.call({ method: 'DELETE', path: `/v1/keys/${String(body['id'])}`, key });
    await service.get(AccountAdminService).purgeEndedKeys();
    const again = await service.call({ method: 'DELETE', path: `/v1/keys/${String(body['id'])}`, key });
    expect(again.status).toBe(204);
    expect(await list(key)).toHaveLength(1);
  });

  it('are sent with Cache-Control: no-store, like channels and /v1/me', async () => {
    for (const path of ['/v1/keys', '/v1/me', '/v1/notifications']) {
      const { status, headers } = await service.call({ path });
      expect({ path, status, cache: headers['cache-control'] }).toEqual({ path, status: 200, cache: 'no-store' });
    }
    expect((await issue({ name: 'fresh' })).headers['cache-control']).toBe('no-store');
    const channel = { type: 'webhook', target: 'https://hooks.example.test/' };
    const opened = await service.call({ method: 'POST', path: '/v1/notifications', body: channel });
    expect(opened.headers['cache-control']).toBe('no-store');
    const path = `/v1/notifications/${String(opened.body['id'])}`;
    expect((await service.call({ path })).headers['cache-control']).toBe('no-store');
    const rotated = await service.call({ method: 'POST', path: `${path}/rotate-secret`, body: {} });
    expect({ status: rotated.status, cache: rotated.headers['cache-control'] }).toEqual({
      status: 200,
      cache: 'no-store',
    });
  });

  it.each<[string, (key: string) => string, string, RegExp]>([
    ['the word Bearer is there twice', (key) => `Bearer Bearer ${key}`, 'invalid_token', /the word Bearer twice/],
    ['Bearer is missing', (key) => key, 'authentication_required', /word Bearer is missing/],
    ['the scheme is not Bearer', () => 'Basic bncKOg==', 'authentication_required', /another scheme than Bearer/],
    ['nothing follows Bearer', () => 'Bearer', 'authentication_required', /no key behind it/],
    ['the key is in quotes', (key) => `Bearer "${key}"`, 'invalid_token', /in quotes or brackets/],
    ['the key ends with an escaped line break', (key) => `Bearer ${key}\\n`, 'invalid_token', /escaped line break/],
    [
      'the key contains an invisible space',
      (key) => `Bearer ${key}\u00a0x`,
      'invalid_token',
      /invisible character|more than one word/,
    ],
    [
      'a part of the key is missing',
      (key) => `Bearer ${key.slice(0, -3)}`,
      'invalid_token',
      /76 characters instead of 79/,
    ],
    [
      'the checksum of the key is wrong',
      (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      'invalid_token',
      /checksum/,
    ],
    ['only the id of a key is sent', () => 'Bearer key_01jd6z0v8q3m4n5p6r7s8t9vwx', 'invalid_token', /id of a key/],
    ['the text is not a key at all', () => 'Bearer eyJhbGciOi', 'invalid_token', /begin with nw_/],
  ])('are refused with an explanation that does not repeat the key, when %s', async (_, header, code, detail) => {
    const { key } = service.account;
    const authorization = header(key);
    const answer = await service.call({ path: '/v1/me', key: null, headers: { authorization } });
    const { body, headers } = answer;
    expect(answer).toMatchObject({ status: 401, body: { code, detail: expect.stringMatching(detail) } });
    const challenge = code === 'invalid_token' ? ', error="invalid_token"' : '';
    expect(headers['www-authenticate']).toBe(`Bearer realm="namewatch"${challenge}`);
    expect(JSON.stringify(body)).not.toContain(key.slice(3, 20));
  });

  it('have only read scopes unless others are requested', async () => {
    const { body } = await issue({ name: 'reader' });
    expect(body['scopes']).toEqual(['domains:read', 'watchlist:read', 'notifications:read']);
    const key = String(body['key']);
    expect((await service.call({ path: '/v1/watchlist', key })).status).toBe(200);
    expect((await service.call({ method: 'POST', path: '/v1/watchlist', body: {}, key })).status).toBe(403);
    expect((await service.call({ path: '/v1/keys', key })).status).toBe(403);
  });

  it('stop working when they expire', async () => {
    const clock = service.get(Clock);
    const expires_at = after(clock.now(), 60_000).toISOString();
    const { body } = await issue({ name: 'brief', expires_at });
    const use = async () => (await service.call({ path: '/v1/watchlist', key: String(body['key']) })).status;
    expect([body['expires_at'], await use()]).toEqual([expires_at, 200]);
    const moved = jest.spyOn(clock, 'now').mockReturnValue(new Date(expires_at));
    expect(await use()).toBe(401);
    moved.mockRestore();
  });

  it.each<[string, unknown, string]>([
    ['with an empty name', { name: '' }, '/name'],
    ['that has expired already', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['with an expiry date without a time', { name: 'x', expires_at: '2099-01-01' }, '/expires_at'],
    ['with an impossible expiry date', { name: 'x', expires_at: '2099-13-45T00:00:00Z' }, '/expires_at'],
  ])('are not issued, but refused with 400: a key %s', async (_, body, pointer) => {
    expect(await issue(body)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });
});

const me = (key?: string) => service.call({ path: '/v1/me', key });

describe('GET /v1/me', () => {
  it('shows the account, its limits and usage, and the key', async () => {
    const { id, key } = await service.openAccount('free');
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' }, key });
    const { status, body } = await me(key);
    expect(status).toBe(200);
    expect(body).toEqual({
      account: { id, name: 'test', plan: 'free', created_at: expect.any(String) },
      limits: {
        intervals: [720, 1440],
        default_interval: 1440,
        entries: 10,
        channels: 2,
        bulk: 20,
        history_days: 90,
        requests_per_minute: expect.any(Number),
      },
      use: { entries: 1, channels: 0 },
      key: expect.objectContaining({ name: 'first', scopes: ['admin'], expires_at: null }),
      identity: null,
      person: null,
      accounts: null,
      can_open_accounts: false,
    });
    expect(JSON.stringify(body)).not.toContain(key.slice(30));
  });

  it('works with a key of any scope, but not without a key', async () => {
    for (const scope of ['domains:read', 'notifications:write']) {
      const issued = await service.call({ method: 'POST', path: '/v1/keys', body: { name: scope, scopes: [scope] } });
      const { status, body } = await me(String(issued.body['key']));
      expect({ status, key: body['key'] }).toMatchObject({ status: 200, key: { name: scope, scopes: [scope] } });
    }
    expect((await service.call({ path: '/v1/me', key: null })).status).toBe(401);
    expect((await service.call({ path: '/v1/me?full=1' })).status).toBe(400);
  });
});
