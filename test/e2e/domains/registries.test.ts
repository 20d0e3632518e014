import { describe, expect, it } from '@jest/globals';
import { OperatorRateLimits } from '../../../src/domains/index.js';
import { DomainName } from '../../../src/domains/language.js';
import { OperatorRepository } from '../../../src/domains/rate-limiting/operators.repository.js';
import { RegistryHours } from '../../../src/domains/sources/registry-hours.repository.js';
import { budgetsFile } from '../../support/builders/budgets-file.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois } from '../../world/whois.js';
import { registryFaults } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';

const strict = running(() => FakeRegistry.start());
const moody = running(() => FakeRegistry.start());
const slow = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const service = running(() =>
  startTestService({
    ROLE: 'api',
    RDAP_OVERRIDES: `strict=${strict.url},stricter=${strict.url},moody=${moody.url},slow=${slow.url}`,
    WHOIS_OVERRIDES: `old=${whois.host}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    LOOKUP_BUDGETS_FILE: budgetsFile({
      operators: {
        strict: { hosts: [strict.host], per_second: 0.1, burst: 2, concurrency: 3 },
        slow: { hosts: [slow.host], per_second: 2, burst: 10 },
      },
    }),
  }),
);

const check = (domain: string) => service.call({ path: `/v1/domains/check?domain=${domain}` });
const registries = (query = '') => service.call({ path: `/v1/registries${query}` });
const canaryOf = async (tld: string) => {
  const [row] = (await registries(`?tld=${tld}`)).body['data'] as { tlds: { canary: object | null }[] }[];
  return { canary: row?.tlds[0]?.canary };
};
const rowOf = ({ body }: Answer, operator: string) =>
  (body['data'] as { operator: string }[]).find((row) => row.operator === operator);

describe('a check beyond a registry operator’s query limit', () => {
  it('gets 503 with Retry-After at once; all TLDs of the operator share the limit', async () => {
    strict.holds('one.strict');
    strict.holds('two.stricter');
    expect(await check('one.strict')).toMatchObject({ status: 200 });
    expect(await check('two.stricter')).toMatchObject({ status: 200 });
    const answer = await check('three.strict');
    const problem = { code: 'registry_throttled', registry: strict.host, retryable: true };
    expect(answer).toMatchObject({ status: 503, body: problem });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(7);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(10);
    expect(strict.queries('three.strict')).toBe(0);
  });
});

describe('the list of registries', () => {
  it('shows the TLDs, servers and query limits of each operator', async () => {
    const answer = await registries();
    expect(answer).toMatchObject({ status: 200, body: { meta: { page: 1, per_page: 20, total: 5 } } });
    const canary = { domain: null, observed_at: expect.stringMatching(/Z$/), found: true };
    const tld = { source: 'rdap', server: strict.host, publishes_expiry: null, canary };
    expect(rowOf(answer, 'strict')).toEqual({
      operator: 'strict',
      tlds: [
        { ...tld, tld: 'strict' },
        { ...tld, tld: 'stricter' },
      ],
      budget: { per_second: 0.1, burst: 2, concurrency: 3 },
      blocked_until: null,
      breaker: { state: 'closed', since: null, retry_at: null },
      hours: expect.any(Array),
    });
    expect(rowOf(answer, whois.host)).toMatchObject({ tlds: [{ tld: 'old', source: 'whois' }] });
    expect(rowOf(answer, 'sandbox')).toMatchObject({ budget: null, tlds: [{ tld: 'test', publishes_expiry: true }] });
  });

  it('shows the answers, errors and response times of each operator by hour', async () => {
    const hours = service.app.get(RegistryHours, { strict: false });
    await hours.write();
    hours.note('strict', true, 0.5);
    await hours.write();
    await hours.write();
    await service.query(
      `insert into registry_hours (operator, hour, answers, errors, seconds)
       select 'strict', now() + n * interval '1 hour', 1, 0, 1 from unnest(array[-26, 2]) n`,
    );
    const hour = {
      hour: expect.stringMatching(/:00:00\.000Z$/),
      answers: 2,
      errors: 1,
      average_ms: expect.any(Number),
    };
    expect(rowOf(await registries(), 'strict')).toMatchObject({ hours: [hour] });
    await hours.forget();
    const { rowCount } = await service.query(`select from registry_hours where operator = 'strict' and hour < now()`);
    expect(rowCount).toBe(1);
  });

  it('can be read in pages and filtered by TLD', async () => {
    expect(await registries('?per_page=1&page=2')).toMatchObject({
      body: { meta: { page: 2, per_page: 1, total: 5 } },
    });
    const one = await registries('?tld=STRICTER');
    expect(one.body).toMatchObject({ data: [{ operator: 'strict' }], meta: { total: 1 } });
    expect(await registries('?tld=nowhere')).toMatchObject({ status: 200, body: { data: [] } });
    expect(await registries('?tld=a.b')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('shows how long a registry’s Retry-After blocks queries; no query is sent meanwhile', async () => {
    moody.says('busy.moody', registryFaults.throttled('120'));
    expect(await check('busy.moody')).toMatchObject({ status: 503 });
    const other = await check('other.moody');
    expect(other).toMatchObject({ status: 503, body: { code: 'registry_throttled' } });
    expect(Number(other.headers['retry-after'])).toBeGreaterThan(110);
    expect(moody.queries('other.moody')).toBe(0);
    const listed = await eventually(
      async () => rowOf(await registries(), moody.host) as { blocked_until: string | null } | undefined,
      (row) => row?.blocked_until !== null,
    );
    expect(Date.parse(listed?.blocked_until ?? '')).toBeGreaterThan(Date.now() + 100_000);
    const rateLimits = service.get(OperatorRateLimits);
    const available = (await rateLimits.availableQueries([moody.host], 5)).get(moody.host);
    expect(available?.tokens).toBe(0);
    expect(available?.reopensAt?.getTime()).toBeGreaterThan(Date.now() + 100_000);
    const later = await rateLimits.availableQueries([moody.host], 200);
    expect(later.get(moody.host)?.tokens).toBe(Infinity);
  });

  it('shows when a registry last found a name known to be registered, without the name', async () => {
    whois.holds('kept.old');
    expect(await check('kept.old')).toMatchObject({ body: { status: 'registered' } });
    const { canary } = await canaryOf('old');
    expect(canary).toEqual({ domain: null, observed_at: expect.stringMatching(/Z$/), found: true });
    expect(await check('free.old')).toMatchObject({ body: { status: 'available' } });
  });

  it('shows when a registry denies a name known to be registered; checks get 502', async () => {
    whois.releases('kept.old'); // as after a failover to an empty copy
    for (const domain of ['denied.old', 'denied-too.old']) {
      const { status, body } = await check(domain);
      expect([status, body['code'], body['retryable']]).toEqual([502, 'registry_answer_unusable', true]);
      expect(body['detail']).toMatch(/it has none of names either that exist/);
    }
    expect((await canaryOf('old')).canary).toMatchObject({ domain: null, found: false });
  });
});

describe('the query limits of registry operators', () => {
  it('belong to a configured operator, or else to the server or TLD of a name', () => {
    const operatorOf = (name: string) => service.get(OperatorRateLimits).operatorOf(DomainName.restore(name));
    expect(['example.slow', 'example.old', 'lifecycle-60s.test', 'example.nowhere'].map(operatorOf)).toEqual([
      'slow',
      whois.host,
      'sandbox',
      '.nowhere',
    ]);
  });

  it('tell for several operators at once how many queries are left', async () => {
    const grants = await service.get(OperatorRateLimits).availableQueries(['slow', whois.host, 'sandbox'], 5);
    expect([...grants]).toEqual([
      ['slow', { tokens: 10, reopensAt: null }],
      [whois.host, { tokens: Infinity, reopensAt: null }],
      ['sandbox', { tokens: Infinity, reopensAt: null }],
    ]);
  });

  it('keep some queries for interactive checks, which routine lookups cannot use', async () => {
    const operators = service.get(OperatorRepository);
    const budget = { perSecond: 2, burst: 10, concurrency: 1 };
    for (let query = 0; query < 8; query++) await operators.ask('slow', budget, { priority: 'routine', patienceMs: 0 });
    const soon = await service.get(OperatorRateLimits).availableQueries(['slow'], 0.1);
    expect(soon.get('slow')?.tokens).toBeLessThanOrEqual(1);
    expect(await operators.ask('slow', budget, { priority: 'routine', patienceMs: 0 })).toMatchObject({
      answer: 'budget',
    });
    expect(await operators.ask('slow', budget, { priority: 'check', patienceMs: 0 })).toMatchObject({
      answer: 'permit',
    });
  });
});
