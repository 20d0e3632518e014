import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { dnsAnswers, FakeDns } from '../../world/dns.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as telling } from '../../world/whois.js';
import { type RegistryAnswer, registryFaults, saying } from '../../world/registry-faults.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService, type TestService } from '../../support/servers/test-service.js';

/** `.one` has RDAP, `.both` RDAP and WHOIS, `.old` WHOIS only. */
const registry = running(() => FakeRegistry.start());
/** Two whose pauses concern no other test. */
const faulty = running(() => FakeRegistry.start());
const throttling = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const dns = running(() => FakeDns.start());
const start = (DNS_SERVERS: string) =>
  startTestService({
    DNS_SERVERS,
    RDAP_OVERRIDES: [
      `one=${registry.url}`,
      `both=${registry.url}`,
      `faulty=${faulty.url}`,
      `throttling=${throttling.url}`,
    ].join(),
    WHOIS_OVERRIDES: `both=${whois.host},old=${whois.host}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  });
const withDns = running(() => start(dns.host));
const withoutDns = running(() => start('off'));

const check = (service: TestService, domain: string) =>
  service.call({ path: `/v1/domains/check?domain=${domain}&max_age=0&expand=evidence` });
const watch = async (service: TestService, domain: string) => {
  const body = { domain, interval_minutes: 1_440 };
  return String((await service.call({ method: 'POST', path: '/v1/watchlist', body })).body['id']);
};
const pendingOf = async (service: TestService, id: string) =>
  (await service.call({ path: `/v1/watchlist/${id}` })).body['pending_confirmation'];
const isPending = (service: TestService, id: string) =>
  eventually(
    () => pendingOf(service, id),
    (shown) => shown !== null,
  );
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

/** Answers that take seconds, which are waited for at once. */
let whenRegistryIsSilent: Promise<Answer>;
beforeAll(() => {
  faulty.says('mute.faulty', firstThen(ABSENT, registryFaults.silence));
  whenRegistryIsSilent = check(withoutDns, 'mute.faulty');
});

describe('a name without a record at its registry', () => {
  it('is available after one lookup if DNS does not know the name either', async () => {
    const { status, body } = await check(withDns, 'free.one');
    expect([status, body['status'], ...sources(body)]).toEqual([
      200,
      'available',
      'rdap absent',
      'dns absent',
      'rdap inconclusive',
    ]);
    expect(arrivals('free.one')).toHaveLength(1);
    expect((await check(withDns, 'free.both')).body).toMatchObject({ status: 'available' });
    expect(asksWhois('free.both')).toEqual([]);
  });

  it('is looked up again a second later, on a new connection, if DNS is off', async () => {
    const { body } = await check(withoutDns, 'repeated.one');
    const lines = ['rdap absent', 'dns inconclusive', 'rdap inconclusive', 'rdap absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [first, second, ...more] = arrivals('repeated.one');
    expect(more).toEqual([]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(second?.port).not.toBe(first?.port);
  });

  it('is never looked up again on a connection left open by an earlier lookup', async () => {
    await check(withoutDns, 'earlier.one');
    await check(withoutDns, 'later.one');
    const ports = [...arrivals('earlier.one'), ...arrivals('later.one')].map(({ port }) => port);
    expect(new Set(ports.filter((_, i) => i % 2 === 1)).size).toBe(2); // the two second questions
    expect(ports[3]).not.toBe(ports[0]);
  });

  it('is looked up again at once by WHOIS if the registry has RDAP and WHOIS', async () => {
    const { body } = await check(withoutDns, 'free.both');
    const lines = ['rdap absent', 'dns inconclusive', 'rdap inconclusive', 'whois absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [rdap, port43] = [arrivals('free.both').at(-1), asksWhois('free.both')];
    expect(port43).toHaveLength(1);
    expect((port43[0]?.at ?? Infinity) - (rdap?.at ?? 0)).toBeLessThan(1_000);
  });

  it('is looked up again by WHOIS a second later if the registry has only WHOIS', async () => {
    const { body } = await check(withoutDns, 'free.old');
    const lines = ['whois absent', 'dns inconclusive', 'whois inconclusive', 'whois absent'];
    expect([body['status'], ...sources(body)]).toEqual(['available', ...lines]);
    const [first, second] = asksWhois('free.old');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(second?.port).not.toBe(first?.port);
  });
});

describe('a second lookup after a not-found answer', () => {
  it.each([
    ['RDAP then returns the record', 'back.one', () => registry.says('back.one', firstThen(ABSENT, heldAgain))],
    ['WHOIS then returns the record', 'kept.both', () => whois.holds('kept.both')],
    [
      'WHOIS then reports the name as reserved',
      'kept-back.both',
      () => whois.says('kept-back.both', telling('Status: reserved')),
    ],
  ])('makes the check fail with 502 if %s', async (_what, domain, arrange) => {
    arrange();
    const { status, body, headers } = await check(withoutDns, domain);
    expect([status, body['code'], body['retryable']]).toEqual([502, 'registry_answer_unusable', true]);
    expect(body['detail']).toMatch(/asked again/);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((body['evidence'] as unknown[]).length).toBe(4);
  });

  it('makes the check fail with 503 if the registry throttles the second lookup', async () => {
    throttling.says('name.throttling', firstThen(ABSENT, registryFaults.throttled('7')));
    expect(await check(withoutDns, 'name.throttling')).toMatchObject({
      status: 503,
      body: { code: 'registry_throttled' },
    });
    expect(throttling.queries('name.throttling')).toBe(2);
  });

  it('makes the check fail with 504, without a third lookup, if the registry is silent', async () => {
    expect(await whenRegistryIsSilent).toMatchObject({ status: 504, body: { code: 'registry_timeout' } });
    expect(faulty.queries('mute.faulty')).toBe(2);
  });
});

describe('a name that an earlier lookup found in DNS', () => {
  const veto = async (domain: string) => {
    dns.delegates(domain);
    expect(await check(withDns, domain)).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
  };

  it('is not reported available while DNS refuses to answer, however often it is checked', async () => {
    await veto('refused-later.one');
    dns.says('refused-later.one', dnsAnswers.refused);
    for (const asked of [1, 2]) {
      const { status, body } = await check(withDns, 'refused-later.one');
      const lines = ['rdap absent', 'dns inconclusive', 'rdap inconclusive'];
      expect([status, body['code'], ...sources(body)]).toEqual([502, 'registry_answer_unusable', ...lines]);
      expect(body['detail']).toMatch(/its zone had it when it last answered/);
      expect(arrivals('refused-later.one')).toHaveLength(1 + asked);
    }
  });

  it('is not reported available after a lookup in between failed for another reason', async () => {
    await veto('broken-between.one');
    dns.says('broken-between.one', dnsAnswers.refused);
    registry.says('broken-between.one', registryFaults.htmlNotFound);
    expect(await check(withDns, 'broken-between.one')).toMatchObject({ status: 502 });
    registry.says('broken-between.one', ABSENT);
    const { status, body } = await check(withDns, 'broken-between.one');
    expect([status, body['detail']]).toEqual([502, expect.stringMatching(/its zone had it when it last answered/)]);
  });

  it('is available once DNS has no such name, and stays so when DNS refuses to answer', async () => {
    await veto('freed.one');
    dns.says('freed.one', dnsAnswers.nxdomain);
    expect((await check(withDns, 'freed.one')).body).toMatchObject({ status: 'available' });
    dns.says('freed.one', dnsAnswers.refused);
    expect((await check(withDns, 'freed.one')).body).toMatchObject({ status: 'available' });
  });

  it('is available without DNS after the registry had a record and deleted it', async () => {
    await veto('found-between.one');
    dns.says('found-between.one', dnsAnswers.refused);
    registry.holds('found-between.one');
    expect((await check(withDns, 'found-between.one')).body).toMatchObject({ status: 'registered' });
    registry.says('found-between.one', ABSENT);
    expect((await check(withDns, 'found-between.one')).body).toMatchObject({ status: 'available' });
  });

  it('is not reported available to a new watch while DNS refuses to answer', async () => {
    await veto('watched-later.one');
    dns.says('watched-later.one', dnsAnswers.refused);
    const id = await watch(withDns, 'watched-later.one');
    expect(await isPending(withDns, id)).toMatchObject({ waiting_for: 'no_delegation' });
  });

  it('is not reported available to a check if only a watch found it in DNS', async () => {
    dns.delegates('remembered.one');
    const id = await watch(withDns, 'remembered.one');
    expect(await isPending(withDns, id)).toMatchObject({ waiting_for: 'no_delegation' });
    dns.says('remembered.one', dnsAnswers.refused);
    expect(await check(withDns, 'remembered.one')).toMatchObject({ status: 502 });
    expect(await pendingOf(withDns, id)).toMatchObject({ waiting_for: 'no_delegation' });
  });
});

describe('the lookup of a watched name', () => {
  it('asks the registry only once if DNS is off; checks do not reuse the answer', async () => {
    const id = await watch(withoutDns, 'watched.one');
    await isPending(withoutDns, id);
    expect(arrivals('watched.one')).toHaveLength(1);
    const { body: checked } = await withoutDns.call({ path: '/v1/domains/check?domain=watched.one' });
    expect(checked).toMatchObject({ status: 'available' });
    expect(arrivals('watched.one')).toHaveLength(3);
    expect(await pendingOf(withoutDns, id)).toMatchObject({ status: 'available', waiting_for: 'second_lookup' });
  });
});
