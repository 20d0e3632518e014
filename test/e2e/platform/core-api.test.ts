import { describe, expect, it } from '@jest/globals';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';

const service = running(() => startTestService({ ROLE: 'api' }));

const add = (body: unknown, key?: string) =>
  service.call({ method: 'POST', path: '/v1/watchlist', body, ...(key === undefined ? {} : { key }) });
const check = (domain: string) => service.call({ path: `/v1/domains/check?domain=${encodeURIComponent(domain)}` });

describe('GET /v1/domains/check', () => {
  it('returns exactly the fields of the specification', async () => {
    const { status, body } = await check('registered.test');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['domain', 'available', 'status', 'expires_at', 'checked_at']);
    expect(body).toMatchObject({ domain: 'registered.test', available: false, status: 'registered' });
    expect(body['expires_at']).toMatch(TIME);
    expect(body['checked_at']).toMatch(TIME);
  });

  it.each([
    ['available.test', 'available', true],
    ['expiring.test', 'expiring', false],
    ['expired-grace.test', 'expiring', false],
    ['redemption.test', 'pending_delete', false],
    ['pending-delete.test', 'pending_delete', false],
    ['reserved.test', 'reserved', false],
    ['CI--Available.TEST.', 'available', true],
  ])('reports %s as %s', async (domain, status, available) => {
    expect((await check(domain)).body).toMatchObject({
      domain: domain.toLowerCase().replace(/\.$/, ''),
      status,
      available,
    });
  });

  it.each([
    ['throttled.test', 503, 'registry_throttled'],
    ['timeout.test', 504, 'registry_timeout'],
    ['unreachable.test', 502, 'registry_unreachable'],
    ['garbage.test', 502, 'registry_answer_unusable'],
  ])('returns an error instead of a status if the lookup fails: %s', async (domain, status, code) => {
    const answer = await check(domain);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, retryable: true, registry: expect.any(String) });
    expect(answer.body).toHaveProperty('retry_after_seconds');
    expect(answer.body).not.toHaveProperty('available');
  });
});

describe('the watchlist', () => {
  it('adds a name and returns exactly the specified fields', async () => {
    const { status, headers, body } = await add({ domain: 'München.test', interval_minutes: 60 });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['id', 'domain', 'status', 'interval_minutes', 'created_at']);
    expect(body).toMatchObject({ domain: 'xn--mnchen-3ya.test', status: 'registered', interval_minutes: 60 });
    expect(body['id']).toMatch(new RegExp(`^wl_${ID}$`));
    expect(headers['location']).toBe(`/v1/watchlist/${String(body['id'])}`);
  });

  it('uses the plan’s default interval if the request has none', async () => {
    expect((await add({ domain: 'default.test' })).body).toMatchObject({ interval_minutes: 360 });
  });

  it('lists the newest entries first, in pages, with the exact total', async () => {
    const { key } = await service.openAccount();
    for (const name of ['one', 'two', 'three']) await add({ domain: `${name}.test` }, key);
    const list = (query: string) => service.call({ path: `/v1/watchlist${query}`, key });
    const first = (await list('?per_page=2')).body as { data: Record<string, unknown>[]; meta: unknown };
    expect(first.data.map((entry) => entry['domain'])).toEqual(['three.test', 'two.test']);
    expect(first.meta).toEqual({ page: 1, per_page: 2, total: 3 });
    expect(Object.keys(first.data[0] ?? {})).toEqual([
      'id',
      'domain',
      'status',
      'interval_minutes',
      'last_checked_at',
      'created_at',
    ]);
    expect((await list('?per_page=2&page=2')).body).toMatchObject({ data: [{ domain: 'one.test' }] });
    expect((await list('?page=9')).body).toEqual({ data: [], meta: { page: 9, per_page: 20, total: 3 } });
    expect((await list('?status=available')).body).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await list('?status=registered')).body).toMatchObject({ meta: { total: 3 } });
  });

  it('deletes an entry with 204, and answers 404 to a second deletion', async () => {
    const { body } = await add({ domain: 'short-lived.test' });
    const remove = () => service.call({ method: 'DELETE', path: `/v1/watchlist/${String(body['id'])}` });
    expect(await remove()).toMatchObject({ status: 204, body: { text: '' } });
    expect(await remove()).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await add({ domain: 'short-lived.test' })).body['id']).not.toBe(body['id']);
  });

  it('rejects a second entry for the same name and returns the id of the first', async () => {
    const { body } = await add({ domain: 'twice.test' });
    const again = await add({ domain: 'TWICE.test.' });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_watched', id: body['id'] } });
  });

  it('accepts only one of twelve simultaneous additions of the same name', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => add({ domain: 'race.test' })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
  });

  it('holds no more entries than the plan allows, even if they are added simultaneously', async () => {
    const { key } = await service.openAccount('free');
    const answers = await Promise.all(Array.from({ length: 14 }, (_, i) => add({ domain: `many-${i}.test` }, key)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
    expect(answers.find((answer) => answer.status !== 201)).toMatchObject({
      status: 403,
      body: { code: 'plan_limit_reached', limit: 10 },
    });
  });
});

describe('notification channels', () => {
  it('are listed with exactly the specified fields', async () => {
    const targets = { webhook: 'https://hooks.example.com/namewatch', email: 'someone@example.com' };
    for (const [type, target] of Object.entries(targets))
      await service.call({ method: 'POST', path: '/v1/notifications', body: { type, target } });
    const { body } = await service.call({ path: '/v1/notifications' });
    expect(Object.keys(body)).toEqual(['data']);
    const data = body['data'] as object[];
    expect(data.map((channel) => Object.keys(channel))).toEqual(Array(2).fill(['id', 'type', 'target', 'active']));
  });
});
