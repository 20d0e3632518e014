import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../../../src/auth/index.js';
import { eventually } from '../../support/eventually.js';
import { plansFile } from '../../support/builders/plans-file.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';
import { statementsDuring } from '../../support/database/statements.js';

const CHECK = '/v1/domains/check?domain=registered.test';
const PLANS = {
  pro: { requests_per_minute: 6_000 },
  business: { requests_per_minute: 0 },
  selfhost: { requests_per_minute: 0 },
};
const service = running(() => startTestService({ ROLE: 'api', PLANS_FILE: plansFile(PLANS) }));

const BY_THE_CLOCK = /^(clock_|lookups_|registry_|select 1$)/;

const many = (count: number, key: string, path = '/v1/watchlist') =>
  Promise.all(Array.from({ length: count }, () => service.call({ path, key })));
const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method: 'GET', url: '/v1/watchlist', remoteAddress, headers });

describe('the rate limit', () => {
  it('is set by the plan, and shown in the headers of accepted and refused requests', async () => {
    const { key } = await service.openAccount('free');
    const { status, headers } = await service.call({ path: '/v1/watchlist', key });
    expect(status).toBe(200);
    expect(headers['ratelimit-policy']).toBe('"default";q=60;w=60');
    expect(headers['ratelimit']).toBe('"default";r=59;t=60');
    const answers = await many(70, key);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(59);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.headers['content-type']).toBe('application/problem+json');
    expect(refused?.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/);
    expect(refused?.body).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Number(refused?.headers['retry-after'])).toBe(refused?.body['retry_after_seconds']);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(30);
  });

  it('is shared by all keys of an account, and counts requests refused with 400 too', async () => {
    const { key } = await service.openAccount('free');
    const issued = await service.call({ method: 'POST', path: '/v1/keys', key, body: { name: 'other' } });
    expect(issued.status).toBe(201);
    const other = String(issued.body['key']);
    const wrong = await many(30, key, '/v1/watchlist?page=nonsense');
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]));
    const right = await many(40, other);
    expect(right.filter(({ status }) => status === 200)).toHaveLength(29);
  });

  it('is applied after the key’s scope is checked and before the body is read', async () => {
    const { key } = await service.openAccount('free');
    const issued = await service.call({ method: 'POST', path: '/v1/keys', key, body: { name: 'reader' } });
    await many(60, key);
    const call = (headers: Record<string, string>, body: string) =>
      service.call({ method: 'POST', path: '/v1/watchlist', key: headers['key'] ?? key, body, headers });
    expect((await call({ 'content-type': 'text/plain' }, 'no JSON')).status).toBe(429);
    expect((await call({ key: String(issued.body['key']) }, '{}')).status).toBe(403);
    expect((await service.call({ path: '/v1/nothing', key })).status).toBe(404);
  });

  it('does not apply to health probes, nor to a plan without a limit', async () => {
    const unlimited = await many(100, service.account.key);
    expect(unlimited.every(({ status, headers }) => status === 200 && headers['ratelimit'] === undefined)).toBe(true);
    const probes = await Promise.all(Array.from({ length: 100 }, () => service.call({ path: '/livez', key: null })));
    expect(probes.every(({ status, headers }) => status === 200 && headers['ratelimit'] === undefined)).toBe(true);
  });

  it('takes one database statement for a cached check, and at most ten for 100 at once', async () => {
    const { key } = await service.openAccount('pro');
    await service.call({ path: CHECK, key });
    const others = /^(?!rate_limit_windows_count$)/;
    const statements = (requests: number) => statementsDuring(() => many(requests, key, CHECK), others);
    expect(await statements(1)).toEqual(['rate_limit_windows_count']);
    expect((await statements(100)).length).toBeLessThanOrEqual(10);
  });

  it('takes no database statement once the limit is used up', async () => {
    const { key } = await service.openAccount('free');
    await many(61, key);
    expect(await statementsDuring(() => many(10, key), BY_THE_CLOCK)).toEqual([]);
  });
});

describe('failed authentications', () => {
  const good = () => ({ authorization: `Bearer ${service.account.key}` });
  const wrong = () => ({ authorization: `Bearer ${generateApiKey().text}` });
  const lockOut = async (address: string) => {
    // Fewer than sixty where the shared store is slow, and a process counts alone.
    for (let n = 0; n < 61; n++) if ((await from(address)).statusCode === 429) return;
    throw new Error(`${address} was not locked out`);
  };

  it('get 401 up to 60 times a minute per address, and then 429', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 62; i++) statuses.push((await from('198.51.100.7', i % 2 ? {} : wrong())).statusCode);
    expect(statuses).toEqual([...Array<number>(60).fill(401), 429, 429]);
    expect((await from('198.51.100.7', wrong())).headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      ratelimit: expect.stringMatching(/^"authentication";r=0;t=\d+$/),
      'ratelimit-policy': '"authentication";q=60;w=60',
    });
    expect((await from('198.51.100.8')).statusCode).toBe(401);
  });

  it('never block a valid key from the same address, even one not used before', async () => {
    const unused = await service.openAccount();
    await lockOut('198.51.100.10');
    expect((await from('198.51.100.10', good())).statusCode).toBe(200);
    expect((await from('198.51.100.10', { authorization: `Bearer ${unused.key}` })).statusCode).toBe(200);
    expect((await from('198.51.100.10')).statusCode).toBe(429);
  });

  it('block a key from the same address with 429 after the key was revoked', async () => {
    const { body } = await service.call({ method: 'POST', path: '/v1/keys', body: { name: 'brief' } });
    const key = { authorization: `Bearer ${String(body['key'])}` };
    await lockOut('198.51.100.11');
    expect((await from('198.51.100.11', key)).statusCode).toBe(200);
    await service.call({ method: 'DELETE', path: `/v1/keys/${String(body['id'])}` });
    await eventually(
      () => from('198.51.100.11', key),
      ({ statusCode }) => statusCode === 429,
    );
  });

  it('take at most ten database statements for 100 wrong keys from a blocked address', async () => {
    await lockOut('198.51.100.12');
    const flood = () => Promise.all(Array.from({ length: 100 }, () => from('198.51.100.12', wrong())));
    const run = await statementsDuring(flood, BY_THE_CLOCK);
    expect(run.length).toBeLessThanOrEqual(10);
    expect(new Set(run)).toEqual(new Set(['api_keys_stored']));
  });

  it('take few database statements even from 250 addresses, while valid keys are still served', async () => {
    const unused = await service.openAccount();
    const forged = Array.from({ length: 2_000 }, (_, n) => from(`203.0.113.${n % 250}`, wrong()));
    let valid: { statusCode: number }[] = [];
    const run = await statementsDuring(async () => {
      valid = await Promise.all([
        ...Array.from({ length: 20 }, () => from('203.0.113.1', good())),
        from('203.0.113.2', { authorization: `Bearer ${unused.key}` }),
      ]);
      const statuses = (await Promise.all(forged)).map(({ statusCode }) => statusCode);
      expect(new Set(statuses)).toEqual(new Set([401]));
    }, BY_THE_CLOCK);
    expect(new Set(valid.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const count = (wanted: RegExp) => run.filter((name) => wanted.test(name)).length;
    expect(count(/^api_keys_stored$/)).toBeLessThanOrEqual(100); // one at a time, with the keys that came meanwhile
    expect(count(/audit/)).toBe(0); // refusals are summed up by the minute
  });

  it('are counted without searching the database for the key if the key is malformed', async () => {
    const wrongChecksum = generateApiKey().text.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (const text of ['nw_wrong', wrongChecksum]) {
      const call = () => from('198.51.100.9', { authorization: `Bearer ${text}` });
      expect(await statementsDuring(call, BY_THE_CLOCK)).toEqual(['rate_limit_windows_count']);
    }
  });
});

describe('the client address behind a proxy', () => {
  it('is the one that the proxy added, whatever addresses the client sent', async () => {
    const proxied = await startTestService({ ROLE: 'api', TRUST_PROXY: 'on' });
    const by = async (forwarded: string, headers: Record<string, string> = {}) => {
      const all = { ...headers, 'x-forwarded-for': forwarded };
      const asked = { method: 'GET', url: '/v1/watchlist', remoteAddress: '10.0.0.1', headers: all } as const;
      return (await proxied.app.inject(asked)).statusCode;
    };
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 61; n++) statuses.push(await by(`192.0.2.${n}, 198.51.100.9, 198.51.100.7`));
      expect(statuses).toEqual([...Array<number>(60).fill(401), 429]);
      const wrong = { authorization: `Bearer ${generateApiKey().text}` };
      expect(await by('198.51.100.7', wrong)).toBe(429);
      expect(await by('198.51.100.9', wrong)).toBe(401);
      expect(await by('198.51.100.7, 198.51.100.8', wrong)).toBe(401);
    } finally {
      await proxied.close();
    }
  });
});
