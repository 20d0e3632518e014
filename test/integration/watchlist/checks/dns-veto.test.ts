import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { dnsAnswers, FakeDns } from '../../../support/fakes/fake-dns.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';

const far = new Date(Date.now() + 300 * 86_400_000);
let registry: FakeRegistry;
let dns: FakeDns;
let service: TestService;

beforeAll(async () => {
  [registry, dns] = await Promise.all([FakeRegistry.start(), FakeDns.start()]);
  service = await startTestService({
    TIME_SCALE: '600', // five minutes take half a second
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    DNS_SERVERS: dns.host,
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([registry.stop(), dns.stop()]);
});

/** A registered name on the watchlist, after its first check. */
const watched = async (domain: string) => {
  registry.holds(domain, { expiresAt: far });
  const body = { domain, interval_minutes: 5 };
  expect(await service.call({ method: 'POST', path: '/v1/watchlist', body })).toMatchObject({ status: 201 });
  await eventually(
    () => Promise.resolve(registry.queries(domain)),
    (count) => count > 0,
  );
};
const statusOf = async (domain: string) => {
  const { body } = await service.call({ path: '/v1/watchlist?per_page=100' });
  return (body['data'] as { domain: string; status: string }[]).find((entry) => entry.domain === domain)?.status;
};
const check = (domain: string) => service.call({ path: `/v1/domains/check?domain=${domain}&max_age=0` });

describe('the absence of a name at its registry', () => {
  it('is rejected while the parent zone delegates it, and accepted once it does not', async () => {
    dns.delegates('delegated.example');
    await watched('delegated.example');
    registry.releases('delegated.example');
    const before = registry.queries('delegated.example');
    await eventually(
      () => Promise.resolve(registry.queries('delegated.example') - before),
      (count) => count >= 3,
    );
    expect(await statusOf('delegated.example')).toBe('registered');
    const { status, body } = await check('delegated.example');
    expect([status, body['code']]).toEqual([502, 'registry_answer_unusable']);
    dns.releases('delegated.example');
    await eventually(
      () => statusOf('delegated.example'),
      (now) => now === 'available',
    );
    expect((await check('delegated.example')).body).toMatchObject({ status: 'available', available: true });
  });

  it.each([
    ['takes 1.5 seconds to answer', 'late.example', dnsAnswers.late(1_500, dnsAnswers.referral())],
    [
      'answers only after garbage packets',
      'noisy.example',
      dnsAnswers.behind(dnsAnswers.noise, 20, dnsAnswers.referral()),
    ],
  ])('is rejected where the delegating parent zone %s', async (_what, domain, answer) => {
    dns.says(domain, answer);
    const { status, body } = await check(domain);
    expect([status, body['code']]).toEqual([502, 'registry_answer_unusable']);
  });

  it('is accepted after two answers where DNS does not respond', async () => {
    dns.says('silent.example', dnsAnswers.refused);
    await watched('silent.example');
    registry.releases('silent.example');
    await eventually(
      () => statusOf('silent.example'),
      (now) => now === 'available',
    );
    expect((await check('silent.example')).body).toMatchObject({ status: 'available' });
  });

  it('is accepted in a zone that delegates everything', async () => {
    dns.otherwise = dnsAnswers.referral();
    expect((await check('wild.example')).body).toMatchObject({ status: 'available' });
    dns.otherwise = dnsAnswers.nxdomain;
  });
});

describe('a name without delegation', () => {
  it('is registered when the registry has it', async () => {
    registry.holds('undelegated.example', { expiresAt: far, statuses: ['client hold'] });
    expect((await check('undelegated.example')).body).toMatchObject({ status: 'registered', available: false });
    expect(dns.queries('undelegated.example')).toBe(0);
  });
});
