import { afterEach, describe, expect, it } from '@jest/globals';
import { ICAL } from '../../../../tools/ical.js';
import { runService } from '../run-service.js';

const { running, call, query } = runService({ ROLE: 'api', PUBLIC_URL: 'https://namewatch.example/' });
afterEach(() => query('delete from calendar_addresses'));

type Account = Awaited<ReturnType<typeof running.service.openAccount>>;
const anAccount = () => running.service.openAccount();
const make = async ({ key }: Account) => {
  const { status, body } = await call({ method: 'POST', path: '/v1/calendar', key });
  expect(status).toBe(201);
  const { pathname } = new URL(String(body['url']));
  expect(body['url']).toBe(`https://namewatch.example${pathname}`);
  return pathname;
};
const read = async (path: string, headers: Record<string, string> = {}) => {
  const {
    statusCode,
    headers: answered,
    body,
  } = await running.service.app.inject({ method: 'GET', url: path, headers });
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
  await query('update watch_entries set answered = true, expires_at = $2 where domain = $1', [domain, expires ?? null]);
  return String(body['id']);
};
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('a calendar address', () => {
  it('opens the dates of its account without a key, and says so only to whom it was shown', async () => {
    const [own, other] = [await anAccount(), await anAccount()];
    await watch(own, 'own.example', { expires: inDays(40), tags: ['brand'], note: 'Ask\r\nAda' });
    await watch(other, 'other.example', { expires: inDays(40) });
    const path = await make(own);
    const { status, headers, text } = await read(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8');
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(summaries(text)).toEqual(['own.example expires']);
    const stored = JSON.stringify((await query('select * from calendar_addresses')).rows);
    expect(stored).not.toContain(path.slice('/calendar/'.length, -'.ics'.length));
    const shown = await call({ path: '/v1/calendar', key: own.key });
    expect(shown.body).toMatchObject({ active: true, last_used_at: expect.any(String) as unknown });
    expect(JSON.stringify(shown.body)).not.toContain('nwcal_');
  });

  it('can be narrowed down to tags and a purpose', async () => {
    const account = await anAccount();
    await watch(account, 'both.example', { expires: inDays(9), tags: ['a', 'b'], purpose: 'own' });
    await watch(account, 'one.example', { expires: inDays(9), tags: ['a'], purpose: 'acquire' });
    await watch(account, 'dated.example', { tags: ['a', 'b'], purpose: 'own', renewal: { on: '2099-01-01' } });
    await watch(account, 'far.example', { expires: inDays(900), tags: ['a', 'b'] });
    const path = await make(account);
    const filtered = async (search: string) => summaries((await read(path + search)).text);
    expect(await filtered('?tag=a&tag=b')).toEqual(['both.example expires', 'dated.example has to be renewed']);
    expect(await filtered('?tag=a&purpose=acquire')).toEqual(['one.example expires']);
    expect(await filtered('?tag=none')).toEqual([]);
    expect((await read(`${path}?purpose=steal`)).status).toBe(400);
    expect((await read(`${path}?key=x`)).status).toBe(400);
  });

  it('answers 304 until a date changes', async () => {
    const account = await anAccount();
    await watch(account, 'same.example', { expires: inDays(40) });
    const path = await make(account);
    const etag = String((await read(path)).headers['etag']);
    const again = await read(path, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    await watch(account, 'new.example', { expires: inDays(50) });
    expect((await read(path, { 'if-none-match': etag })).status).toBe(200);
  });

  it('ends when it is revoked or replaced, and with its account', async () => {
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

  it('is made and revoked only by who may write', async () => {
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

  it('is read so many times a minute', async () => {
    const path = await make(await anAccount());
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await read(path)).status));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  });

  it('cannot be guessed on: an address without one is locked out, and a right one still opens', async () => {
    const path = await make(await anAccount());
    const wrong = `/calendar/nwcal_${'A'.repeat(43)}.ics`;
    const statuses: number[] = [];
    for (let n = 0; n < 70; n += 1) statuses.push((await read(wrong)).status);
    expect(statuses.at(0)).toBe(404);
    expect(statuses.at(-1)).toBe(429);
    expect((await read(path)).status).toBe(200);
  });
});
