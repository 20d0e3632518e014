import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../../support/eventually.js';
import { dnsAnswers, FakeDns } from '../../support/fakes/fake-dns.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { FakeWhois, saying as telling } from '../../support/fakes/fake-whois.js';
import { type RegistryAnswer, registryFaults, saying } from '../../support/fakes/registry-faults.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

/** `.one` has RDAP, `.both` RDAP and WHOIS, `.old` WHOIS only. */
let registry: FakeRegistry;
let whois: FakeWhois;
let dns: FakeDns;
let withDns: TestService;
let withoutDns: TestService;

beforeAll(async () => {
  [registry, whois, dns] = await Promise.all([FakeRegistry.start(), FakeWhois.start(), FakeDns.start()]);
  const settings = {
    RDAP_OVERRIDES: `one=${registry.url},both=${registry.url}`,
    WHOIS_OVERRIDES: `both=${whois.host},old=${whois.host}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  };
  withDns = await startTestService({ ...settings, DNS_SERVERS: dns.host });
  withoutDns = await startTestService({ ...settings, DNS_SERVERS: 'off' });
});
afterEach(() => {
  dns.otherwise = dnsAnswers.nxdomain;
});
afterAll(async () => {
  await Promise.all([withDns.close(), withoutDns.close()]);
  await Promise.all([registry.stop(), whois.stop(), dns.stop()]);
});

const check = (service: TestService, domain: string) =>
  service.call({ path: `/v1/domains/check?domain=${domain}&max_age=0&expand=evidence` });
const sources = (body: Record<string, unknown>) =>
  (body['evidence'] as { source: string; outcome: string }[]).map(({ source, outcome }) => `${source} ${outcome}`);
const arrivals = (domain: string) => registry.arrivals.filter(({ name }) => name === domain);
const asksWhois = (domain: string) => whois.arrivals.filter(({ query }) => query === domain);
/** One answer to the first question, another one to all later ones. */
const firstThen = (first: RegistryAnswer, then: RegistryAnswer): RegistryAnswer => {
  const answers = [first];
  return (reply, name) => (answers.pop() ?? then)(reply, name);
};
const ABSENT = saying(404, rdapNotFound());
const heldAgain: RegistryAnswer = (reply, name) => saying(200, rdapRecord(name))(reply, name);

describe('a name without a record at its registry', () => {
  it('is available after one question where its zone does not delegate it', async () => {
    const { status, body } = await check(withDns, 'free.one');
    expect([status, body['status'], ...sources(body)]).toEqual([200, 'available', 'rdap absent', 'dns absent']);
    expect(arrivals('free.one')).toHaveLength(1);
    expect((await check(withDns, 'free.both')).body).toMatchObject({ status: 'available' });
    expect(asksWhois('free.both')).toEqual([]);
  });

  it('is asked about again at least a second later, on a new connection, where DNS is off', async () => {
    const { body } = await check(withoutDns, 'repeated.one');
    const lines = ['rdap absent', 'dns inconclusive', 'rdap absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [first, second, ...more] = arrivals('repeated.one');
    expect(more).toEqual([]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(second?.port).not.toBe(first?.port);
  });

  it('is asked about again by no connection that an earlier question left open', async () => {
    await check(withoutDns, 'earlier.one');
    await check(withoutDns, 'later.one');
    const ports = [...arrivals('earlier.one'), ...arrivals('later.one')].map(({ port }) => port);
    expect(new Set(ports.filter((_, i) => i % 2 === 1)).size).toBe(2); // the two second questions
    expect(ports[3]).not.toBe(ports[0]);
  });

  it('is asked about again by WHOIS, and at once, where the registry has both', async () => {
    const { body } = await check(withoutDns, 'free.both');
    const lines = ['rdap absent', 'dns inconclusive', 'whois absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [rdap, port43] = [arrivals('free.both').at(-1), asksWhois('free.both')];
    expect(port43).toHaveLength(1);
    expect((port43[0]?.at ?? Infinity) - (rdap?.at ?? 0)).toBeLessThan(1_000);
  });

  it('is asked about again by WHOIS a second later where the registry has no RDAP', async () => {
    const { body } = await check(withoutDns, 'free.old');
    const lines = ['whois absent', 'dns inconclusive', 'whois absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [first, second] = asksWhois('free.old');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(second?.port).not.toBe(first?.port);
  });

  it.each([
    ['refuses to answer', 'refused.one', dnsAnswers.refused],
    ['fails', 'failing.one', dnsAnswers.serverFailure],
    ['is silent', 'silent.one', dnsAnswers.silence],
    ['delegates everything', 'wild.one', dnsAnswers.referral()],
  ])('is asked about again where DNS %s', async (_what, domain, answer) => {
    dns.otherwise = answer;
    const { body } = await check(withDns, domain);
    const lines = ['rdap absent', 'dns inconclusive', 'rdap absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    expect(arrivals(domain)).toHaveLength(2);
  });

  it('is not asked about again for a second check within its freshness', async () => {
    await check(withoutDns, 'cached.one');
    const path = '/v1/domains/check?domain=cached.one';
    expect((await withoutDns.call({ path })).body).toMatchObject({ status: 'available' });
    expect(arrivals('cached.one')).toHaveLength(2);
  });
});

describe('a registry that says otherwise when it is asked again', () => {
  it.each([
    ['RDAP has the record again', 'back.one', () => registry.says('back.one', firstThen(ABSENT, heldAgain))],
    ['WHOIS has the record', 'kept.both', () => whois.holds('kept.both')],
    ['WHOIS has the name reserved', 'kept-back.both', () => whois.says('kept-back.both', telling('Status: reserved'))],
  ])('is an error and no status: %s', async (_what, domain, arrange) => {
    arrange();
    const { status, body, headers } = await check(withoutDns, domain);
    expect([status, body['code'], body['retryable']]).toEqual([502, 'registry_answer_unusable', true]);
    expect(body['detail']).toMatch(/asked again/);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((body['evidence'] as unknown[]).length).toBe(3);
  });

  it.each([
    ['throttles', 'busy', registryFaults.throttled('7'), 503, 'registry_throttled'],
    ['answers nonsense', 'nonsense', registryFaults.emptyObject, 502, 'registry_answer_unusable'],
    ['answers with a page', 'page', registryFaults.htmlNotFound, 502, 'registry_answer_unusable'],
    ['hangs up', 'gone', registryFaults.hangUp, 502, 'registry_unreachable'],
  ])('is that error when it %s', async (_what, label, answer, status, code) => {
    const own = await FakeRegistry.start(); // whose pause concerns no other test
    const service = await startTestService({
      ...{ RDAP_OVERRIDES: `own=${own.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8', DNS_SERVERS: 'off' },
    });
    own.says(`${label}.own`, firstThen(ABSENT, answer));
    expect(await check(service, `${label}.own`)).toMatchObject({ status, body: { code } });
    expect(own.queries(`${label}.own`)).toBe(2);
    await service.close();
    await own.stop();
  });

  it('ends with the lookup when it is silent', async () => {
    registry.says('mute.one', firstThen(ABSENT, registryFaults.silence));
    const startedAt = performance.now();
    expect(await check(withoutDns, 'mute.one')).toMatchObject({ status: 504, body: { code: 'registry_timeout' } });
    expect(performance.now() - startedAt).toBeLessThan(18_000); // ten seconds, and no second lookup of as many
  });
});

describe('a name that its zone delegated', () => {
  const veto = async (domain: string) => {
    dns.delegates(domain);
    expect(await check(withDns, domain)).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
  };

  it.each([
    ['refuses to answer', 'refused-later.one', dnsAnswers.refused],
    ['fails', 'failing-later.one', dnsAnswers.serverFailure],
    ['is silent', 'silent-later.one', dnsAnswers.silence],
  ])('is not available when DNS %s', async (_what, domain, answer) => {
    await veto(domain);
    dns.says(domain, answer);
    for (const asked of [1, 2]) {
      const { status, body } = await check(withDns, domain);
      expect([status, body['code'], ...sources(body)]).toEqual([
        ...[502, 'registry_answer_unusable', 'rdap absent', 'dns inconclusive'],
      ]);
      expect(body['detail']).toMatch(/its zone delegated it when it last answered/);
      expect(arrivals(domain)).toHaveLength(1 + asked);
    }
  });

  it('is not available either after a lookup that failed for another reason', async () => {
    await veto('broken-between.one');
    dns.says('broken-between.one', dnsAnswers.refused);
    registry.says('broken-between.one', registryFaults.htmlNotFound);
    expect(await check(withDns, 'broken-between.one')).toMatchObject({ status: 502 });
    registry.says('broken-between.one', ABSENT);
    const { status, body } = await check(withDns, 'broken-between.one');
    expect([status, body['detail']]).toEqual([502, expect.stringMatching(/delegated it when it last answered/)]);
  });

  it('is available as soon as its zone does not delegate it, and stays so when DNS is silent', async () => {
    await veto('freed.one');
    dns.says('freed.one', dnsAnswers.nxdomain);
    expect((await check(withDns, 'freed.one')).body).toMatchObject({ status: 'available' });
    dns.says('freed.one', dnsAnswers.refused);
    expect((await check(withDns, 'freed.one')).body).toMatchObject({ status: 'available' });
  });

  it('is available by two answers once the registry had a record of it and deleted that', async () => {
    await veto('found-between.one');
    dns.says('found-between.one', dnsAnswers.refused);
    registry.holds('found-between.one');
    expect((await check(withDns, 'found-between.one')).body).toMatchObject({ status: 'registered' });
    registry.says('found-between.one', ABSENT);
    expect((await check(withDns, 'found-between.one')).body).toMatchObject({ status: 'available' });
  });

  it('is not available for a watch that begins when DNS is silent', async () => {
    await veto('watched-later.one');
    dns.says('watched-later.one', dnsAnswers.refused);
    const body = { domain: 'watched-later.one', interval_minutes: 1_440 };
    const { body: entry } = await withDns.call({ method: 'POST', path: '/v1/watchlist', body });
    const pending = async () => {
      const { body: shown } = await withDns.call({ path: `/v1/watchlist/${String(entry['id'])}` });
      return shown['pending_confirmation'];
    };
    expect(await eventually(pending, (shown) => shown !== null)).toMatchObject({ waiting_for: 'no_delegation' });
  });

  it('is not available to a check when only its watch remembers that', async () => {
    dns.delegates('remembered.one');
    const body = { domain: 'remembered.one', interval_minutes: 1_440 };
    const { body: entry } = await withDns.call({ method: 'POST', path: '/v1/watchlist', body });
    const pending = async () => {
      const { body: shown } = await withDns.call({ path: `/v1/watchlist/${String(entry['id'])}` });
      return shown['pending_confirmation'];
    };
    expect(await eventually(pending, (shown) => shown !== null)).toMatchObject({ waiting_for: 'no_delegation' });
    const database = new pg.Client(withDns.databaseUrl);
    await database.connect();
    await eventually(
      () => database.query(`delete from lookups where domain = 'remembered.one'`),
      ({ rowCount }) => rowCount === 1,
    );
    await database.end();
    dns.says('remembered.one', dnsAnswers.refused);
    expect(await check(withDns, 'remembered.one')).toMatchObject({ status: 502 });
    expect(await pending()).toMatchObject({ waiting_for: 'no_delegation' });
  });
});

describe('a bulk check', () => {
  it('asks about each name as a single check does', async () => {
    registry.says('returned.one', firstThen(ABSENT, heldAgain));
    registry.holds('held.one');
    whois.holds('contradicted.both');
    const domains = ['bulk.one', 'returned.one', 'held.one', 'bulk.both', 'contradicted.both', 'bulk.old'];
    const answer = await withoutDns.call({ method: 'POST', path: '/v1/domains/check', body: { domains } });
    const data = answer.body['data'] as { result: { status: string } | null; error: { code: string } | null }[];
    expect(data.map(({ result, error }) => result?.status ?? error?.code)).toEqual([
      ...['available', 'registry_answer_unusable', 'registered', 'available', 'registry_answer_unusable', 'available'],
    ]);
    expect(arrivals('bulk.one')).toHaveLength(2);
  });
});

describe('the lookup of a watched name', () => {
  it('asks once where DNS is off, and answers no check with that', async () => {
    const body = { domain: 'watched.one', interval_minutes: 1_440 };
    const { body: entry } = await withoutDns.call({ method: 'POST', path: '/v1/watchlist', body });
    const pending = async () => {
      const { body: shown } = await withoutDns.call({ path: `/v1/watchlist/${String(entry['id'])}` });
      return shown['pending_confirmation'];
    };
    await eventually(pending, (shown) => shown !== null);
    expect(arrivals('watched.one')).toHaveLength(1);
    const { body: checked } = await withoutDns.call({ path: '/v1/domains/check?domain=watched.one' });
    expect(checked).toMatchObject({ status: 'available' });
    expect(arrivals('watched.one')).toHaveLength(3);
    expect(await pending()).toMatchObject({ status: 'available', waiting_for: 'second_lookup' });
  });
});
