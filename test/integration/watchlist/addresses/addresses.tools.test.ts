import { afterEach, describe, expect, it } from '@jest/globals';
import { ICAL } from '../../../../tools/ical.js';
import { runService } from '../run-service.js';

const { running, call, query } = runService({ ROLE: 'api', PUBLIC_URL: 'https://namewatch.example/' });
afterEach(() => query('delete from secret_addresses'));

type Account = Awaited<ReturnType<typeof running.service.openAccount>>;
const anAccount = () => running.service.openAccount();
const make = async ({ key }: Account) => {
  const { status, body } = await call({ method: 'POST', path: '/v1/calendar', key });
  expect(status).toBe(201);
  const { pathname } = new URL(String(body['url']));
  expect(body['url']).toBe(`https://namewatch.example${pathname}`);
  return pathname;
};
const read = async (path: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') => {
  const {
    statusCode,
    headers: answered,
    body,
  } = await running.service.app.inject({ method: 'GET', url: path, headers, remoteAddress });
  return { status: statusCode, headers: answered, text: body };
};
const summaries = (text: string) =>
  new ICAL.Component(ICAL.parse(text) as unknown[])
    .getAllSubcomponents('vevent')
    .map((event) => String(event.getFirstPropertyValue('summary')))
    .sort();
const watch = async (
  { key }: Account,
  domain: string,
  { expires, ...settings }: { expires?: string; [k: string]: unknown },
) => {
  const { body } = await call({ method: 'POST', path: '/v1/watchlist', body: { domain, ...settings }, key });
  const facts = JSON.stringify({
    ...{ outcome: 'found', statuses: [], registeredAt: null, registrable: 'no' },
    expiresAt: expires ?? null,
  });
  await query(
    `update watched_names set facts = $2, source = 'sandbox', facts_since = now(), facts_confirmed_at = now(),
       last_checked_at = now() where domain = $1`,
    [domain, facts],
  );
  // The service's clock may be some milliseconds ahead of now(), and facts from before an entry do not count for it.
  await query(
    `update watch_entries set answered = true, expires_at = $2, created_at = created_at - interval '1 minute'
       where domain = $1`,
    [domain, expires ?? null],
  );
  return String(body['id']);
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('the secret address of a calendar', () => {
  it('shows the account’s dates without an API key, and is itself shown only once', async () => {
    const [own, other] = [await anAccount(), await anAccount()];
    await watch(own, 'own.example', { expires: inDays(40), tags: ['brand'], note: 'Ask\r\nAda' });
    await watch(other, 'other.example', { expires: inDays(40) });
    const path = await make(own);
    const { status, headers, text } = await read(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8');
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(summaries(text)).toEqual(['own.example expires']);
    const stored = JSON.stringify((await query('select * from secret_addresses')).rows);
    expect(stored).not.toContain(path.slice('/calendar/'.length, -'.ics'.length));
    const shown = await call({ path: '/v1/calendar', key: own.key });
    expect(shown.body).toMatchObject({ active: true, last_used_at: expect.any(String) as unknown });
    expect(JSON.stringify(shown.body)).not.toContain('nwcal_');
  });

  it('filters the dates by tags and purpose, and answers 400 to invalid parameters', async () => {
    const account = await anAccount();
    await watch(account, 'both.example', { expires: inDays(9), tags: ['a', 'b'], purpose: 'own' });
    await watch(account, 'one.example', { expires: inDays(9), tags: ['a'], purpose: 'acquire' });
    await watch(account, 'dated.example', {
      tags: ['a', 'b'],
      purpose: 'own',
      renewal: { on: inDays(90).slice(0, 10) },
    });
    await watch(account, 'far.example', { expires: inDays(900), tags: ['a', 'b'] });
    await watch(account, 'later.example', { tags: ['a', 'b'], renewal: { on: inDays(900).slice(0, 10) } });
    await watch(account, 'past.example', { tags: ['a', 'b'], renewal: { on: inDays(-200).slice(0, 10) } });
    const path = await make(account);
    const filtered = async (search: string) => summaries((await read(path + search)).text);
    expect(await filtered('?tag=a&tag=b')).toEqual(['both.example expires', 'dated.example has to be renewed']);
    expect(await filtered('?tag=a&purpose=acquire')).toEqual(['one.example expires']);
    expect(await filtered('?tag=none')).toEqual([]);
    expect((await read(`${path}?purpose=steal`)).status).toBe(400);
    expect((await read(`${path}?key=x`)).status).toBe(400);
  });

  it('answers 304 to the last ETag until a date changes', async () => {
    const account = await anAccount();
    await watch(account, 'same.example', { expires: inDays(40) });
    const path = await make(account);
    const etag = String((await read(path)).headers['etag']);
    const again = await read(path, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    await watch(account, 'new.example', { expires: inDays(50) });
    expect((await read(path, { 'if-none-match': etag })).status).toBe(200);
  });

  it('answers 404 once it is revoked or replaced, or while its account is suspended', async () => {
    const account = await anAccount();
    const first = await make(account);
    const second = await make(account);
    expect([(await read(first)).status, (await read(second)).status]).toEqual([404, 200]);
    await query('update accounts set suspended_at = now() where id = $1', [account.id]);
    const suspended = await read(second);
    await query('update accounts set suspended_at = null where id = $1', [account.id]);
    expect(suspended.status).toBe(404);
    expect((await read(second)).status).toBe(200);
    expect((await call({ method: 'DELETE', path: '/v1/calendar', key: account.key })).status).toBe(204);
    const revoked = await read(second);
    expect(revoked.status).toBe(404);
    const { instance, request_id: _, ...problem } = JSON.parse(revoked.text) as Record<string, unknown>;
    expect(instance).toBe('/calendar/….ics');
    expect(JSON.parse(suspended.text)).toMatchObject(problem); // a stranger learns nothing of the account
    const { body } = await call({ path: '/v1/calendar', key: account.key });
    expect(body).toEqual({ active: false, created_at: null, last_used_at: null });
    const { rows } = await query(
      `select action from audit_records where account_id = $1 and action like 'calendar.%' order by seq`,
      [account.id],
    );
    expect(rows.map(({ action }) => String(action))).toEqual([
      'calendar.address_made',
      'calendar.address_made',
      'calendar.address_revoked',
    ]);
  });

  it('is created and revoked only with an API key that may write', async () => {
    const account = await anAccount();
    const issued = await call({
      method: 'POST',
      path: '/v1/keys',
      body: { name: 'reader', scopes: ['watchlist:read'] },
      key: account.key,
    });
    const key = String(issued.body['key']);
    expect((await call({ method: 'POST', path: '/v1/calendar', body: {}, key })).status).toBe(403);
    expect((await call({ method: 'DELETE', path: '/v1/calendar', key })).status).toBe(403);
    expect((await call({ path: '/v1/calendar', key })).status).toBe(200);
  });

  it('can be read 30 times a minute', async () => {
    const path = await make(await anAccount());
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await read(path)).status));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  });

  it('cannot be guessed: a client with many wrong addresses gets 429, a right one still works', async () => {
    const path = await make(await anAccount());
    const wrong = `/calendar/nwcal_${'A'.repeat(43)}.ics`;
    const statuses: number[] = [];
    for (let n = 0; n < 70; n += 1) statuses.push((await read(wrong, {}, '192.0.2.9')).status);
    expect(statuses.at(0)).toBe(404);
    expect(statuses.at(-1)).toBe(429);
    expect((await read(path, {}, '192.0.2.9')).status).toBe(200);
  });
});

const aPage = async ({ key }: Account, body: Record<string, unknown> = { tags: ['acme'] }) => {
  const { status, body: made } = await call({ method: 'POST', path: '/v1/client-pages', body, key });
  expect(status).toBe(201);
  const { pathname, origin } = new URL(String(made['url']));
  expect(origin).toBe('https://namewatch.example');
  return { id: String(made['id']), path: pathname };
};
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** Each page is made once in a while: a change to see later needs a page of its own. */
const anAgency = async () => {
  const agency = await anAccount();
  await watch(agency, 'acme.example', {
    expires: inDays(20),
    tags: ['acme', 'vip'],
    purpose: 'own',
    note: 'pays late',
  });
  await watch(agency, 'other-client.example', { expires: inDays(20), tags: ['other'], note: 'n' });
  return agency;
};

describe('a page for a client', () => {
  it('shows only the domain names with its tags, as HTML and as JSON', async () => {
    const agency = await anAgency();
    const { path } = await aPage(agency, { tags: ['acme'], title: 'Names of <Acme>' });
    const { status, headers, text } = await read(path, BROWSER);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(text).toContain('<h1>Names of &lt;Acme&gt;</h1>');
    expect(text).toContain('Renew it before it expires');
    const { id: accountId } = agency;
    const { text: json } = await read(`${path}/json`);
    expect(JSON.parse(json)).toMatchObject({ title: 'Names of <Acme>', total: 1, names: [{ domain: 'acme.example' }] });
    const { rows } = await query('select id from watch_entries where account_id = $1', [accountId]);
    const secrets = [
      accountId,
      'other-client',
      'pays late',
      'vip',
      '/ui',
      'nwpage_',
      ...rows.map(({ id }) => String(id)),
    ];
    for (const secret of secrets) expect(text + json).not.toContain(secret);
  });

  it('stores no readable address, and shows on which day it was last opened', async () => {
    const agency = await anAgency();
    const { id, path } = await aPage(agency);
    await read(path);
    await read(path);
    const { body } = await call({ path: '/v1/client-pages', key: agency.key });
    const today = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({ data: [{ id, tags: ['acme'], opened: 1, last_opened_on: today, expires_at: null }] });
    const stored = JSON.stringify((await query('select * from secret_addresses')).rows);
    for (const text of [stored, JSON.stringify(body)]) expect(text).not.toContain(path.slice('/pages/nwpage_'.length));
  });

  it('answers the same 404 if unknown, revoked, expired, without names, or of a suspended account', async () => {
    const agency = await anAgency();
    const [revoked, expired, suspended, untagged] = [
      await aPage(agency),
      await aPage(agency),
      await aPage(agency),
      await aPage(agency, { tags: ['gone'] }),
    ];
    await call({ method: 'DELETE', path: `/v1/client-pages/${revoked.id}`, key: agency.key });
    await query(`update secret_addresses set expires_at = now() - interval '1 second' where id = $1`, [expired.id]);
    const answers = async (path: string) => {
      const { status, headers, text } = await read(path, BROWSER);
      const { status: jsonStatus, text: json } = await read(`${path}/json`);
      const { request_id: _, ...problem } = JSON.parse(json) as Record<string, unknown>;
      const policy = [headers['x-robots-tag'], headers['referrer-policy'], headers['content-security-policy']];
      return { status, text, jsonStatus, problem, policy };
    };
    const unknown = await answers(`/pages/nwpage_${'A'.repeat(43)}`);
    expect(unknown).toMatchObject({ status: 404, jsonStatus: 404, problem: { instance: '/pages/…/json' } });
    expect(unknown.text).toContain('<h1>This page does not open</h1>');
    for (const { path } of [revoked, expired, untagged]) expect(await answers(path)).toEqual(unknown);
    expect((await read(suspended.path)).status).toBe(200);
    await query('update accounts set suspended_at = now() where id = $1', [agency.id]);
    expect(await answers(suspended.path)).toEqual(unknown);
    expect(await answers('/pages/nwpage_short')).toEqual(unknown);
  });

  it('cannot be opened as a calendar, and a calendar cannot be opened as a page', async () => {
    const agency = await anAgency();
    const { path } = await aPage(agency);
    const calendar = await make(agency);
    expect((await read(path.replace('/pages/', '/calendar/'))).status).toBe(404);
    expect((await read(calendar.replace('/calendar/', '/pages/').replace('.ics', ''))).status).toBe(404);
    expect((await read(path)).status).toBe(200);
  });

  it('needs tags and a future expiry date, and is limited to a hundred per account', async () => {
    const agency = await anAgency();
    const refused = async (body: object) =>
      (await call({ method: 'POST', path: '/v1/client-pages', body, key: agency.key })).body['code'];
    expect(await refused({ tags: ['a'], expires_at: '2020-01-01T00:00:00Z' })).toBe('invalid_request');
    expect(await refused({ tags: [] })).toBe('invalid_request');
    expect(await refused({})).toBe('invalid_request');
    await query(
      `insert into secret_addresses (id, account_id, kind, digest, tags, created_at)
       select 'adr_' || n, $1, 'client_page', 'd' || n, '{a}', now() from generate_series(1, 100) n`,
      [agency.id],
    );
    expect(await refused({ tags: ['a'] })).toBe('plan_limit_reached');
  });

  it('is built once for many visitors, and each visitor can open it sixty times a minute', async () => {
    const agency = await anAgency();
    const { path } = await aPage(agency);
    const first = (await read(path)).text;
    await query(`delete from watch_entries where account_id = $1`, [agency.id]);
    const visits = await Promise.all(Array.from({ length: 70 }, async () => read(path, BROWSER)));
    expect(visits.filter(({ status }) => status === 200)).toHaveLength(59);
    expect(visits.find(({ status }) => status === 200)?.text).toBe(first);
    const limited = visits.find(({ status }) => status === 429);
    expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(0);
    expect(limited?.text).toContain('This page does not open');
    expect((await read(path, BROWSER, '192.0.2.7')).status).toBe(200);
  });
});
