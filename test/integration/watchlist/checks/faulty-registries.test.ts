import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { dnsAnswers, FakeDns } from '../../../support/fakes/fake-dns.js';
import { FakeWhois, saying as whoisSaying, type WhoisAnswer, whoisFaults } from '../../../support/fakes/fake-whois.js';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { registryFaults, saying } from '../../../support/fakes/registry-faults.js';
import { runService } from '../run-service.js';

const far = new Date(Date.now() + 300 * 86_400_000);
let whois: FakeWhois;
let dns: FakeDns;
const { running, call, query } = runService(async () => {
  [whois, dns] = await Promise.all([FakeWhois.start(), FakeDns.start()]);
  return {
    TIME_SCALE: '600', // five minutes take half a second
    WHOIS_OVERRIDES: `lan=${whois.host}`,
    DNS_SERVERS: dns.host,
  };
});
afterAll(() => Promise.all([whois.stop(), dns.stop()]));

const watch = async (...domains: string[]) => {
  for (const domain of domains) {
    const body = { domain, interval_minutes: 5 };
    expect(await call({ method: 'POST', path: '/v1/watchlist', body })).toMatchObject({ status: 201 });
  }
  for (const domain of domains) await eventually(() => lastCheckedAt(domain), Boolean);
};
const lastCheckedAt = async (domain: string) => {
  const { rows } = await query<{ at: Date | null }>(
    'select last_checked_at as at from watched_names where domain = $1',
    [domain],
  );
  return rows[0]?.at?.getTime() ?? 0;
};
/** Resolves after so many more checks of the name. */
const untilChecked = async (domain: string, count: number) => {
  for (let seen = await lastCheckedAt(domain); count > 0; count -= 1)
    seen = await eventually(
      () => lastCheckedAt(domain),
      (at) => at > seen,
    );
};
const movesOf = async (domain: string) => {
  const { rows } = await query<{ body: string }>(
    `select e.body from events e join watch_entries w on w.id = e.entry_id where w.domain = $1 order by e.seq`,
    [domain],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { data: { move: string } }).data.move);
};
const statusOf = async (domain: string) => {
  const { body } = await call({ path: `/v1/watchlist?per_page=100` });
  return (body['data'] as { domain: string; status: string }[]).find((entry) => entry.domain === domain)?.status;
};

describe('a registry that answers 404 to everything for a while', () => {
  it('makes none of its names available, since DNS still delegates them', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `outage-${i}.example`);
    for (const name of names) {
      running.registry.holds(name, { expiresAt: far });
      dns.delegates(name);
    }
    await watch(...names);
    running.registry.saysToEverything(saying(404, rdapNotFound()));
    await Promise.all(names.map((name) => untilChecked(name, 3))); // more than the two answers that would confirm it
    running.registry.saysToEverything(null);
    await Promise.all(names.map((name) => untilChecked(name, 1)));
    for (const name of names) expect([await statusOf(name), await movesOf(name)]).toEqual(['registered', []]);
  });
});

describe('a registry mirror with stale data', () => {
  it('makes no re-registered name available', async () => {
    await watch('renewed.example');
    await eventually(
      () => statusOf('renewed.example'),
      (status) => status === 'available',
    );
    const catchUp = running.registry.lags();
    running.registry.holds('renewed.example', { registeredAt: new Date(), expiresAt: far });
    dns.delegates('renewed.example');
    await eventually(
      () => statusOf('renewed.example'),
      (status) => status === 'registered',
    );
    await untilChecked('renewed.example', 4);
    catchUp();
    expect([await statusOf('renewed.example'), await movesOf('renewed.example')]).toEqual([
      'registered',
      ['discovered', 'caught'],
    ]);
  });
});

describe('an entry is not moved by', () => {
  it.each([
    ['an HTML page', registryFaults.htmlNotFound],
    ['no answer at all', registryFaults.emptyNotFound()],
    ['a record of another name', registryFaults.otherName],
    ['a record that is cut off', registryFaults.cutOff],
    ['a prohibition', registryFaults.forbidden],
    ['a rate limit page', registryFaults.limitPage],
    ['a refusal with Retry-After', registryFaults.throttled('1')],
    ['half of an answer', registryFaults.halfJson],
    ['a closed connection', registryFaults.hangUp],
  ])('%s, over RDAP', async (what, lie) => {
    const name = `${what.replace(/[^a-z]+/gi, '-').toLowerCase()}.example`;
    running.registry.holds(name, { expiresAt: far });
    await watch(name);
    const before = running.registry.queries(name);
    running.registry.says(name, lie);
    await eventually(
      () => Promise.resolve(running.registry.queries(name)),
      (count) => count > before + 1, // so that one check is complete
    );
    running.registry.holds(name, { expiresAt: far });
    expect([await statusOf(name), await movesOf(name)]).toEqual(['registered', []]);
  });

  it.each<[string, WhoisAnswer]>([
    ['another name', whoisSaying(['Domain: another.lan', 'Status: free'])],
    ['a limit', whoisSaying('% Query rate limit exceeded, no match for your query.')],
    ['half of an answer, reset', whoisFaults.breaksOff],
    ['half of an answer, closed normally', whoisSaying(Buffer.from('Domain Name: x\r\nDomain Sta'))],
    ['nothing', whoisSaying(Buffer.alloc(0))],
    ['a page', whoisSaying('HTTP/1.1 404 Not Found\r\n\r\n<html><title>404 Not Found</title></html>')],
    ['a closed connection', whoisFaults.hangsUp],
  ])('%s, over WHOIS', async (what, lie) => {
    const name = `${what.replace(/[^a-z]+/gi, '-').toLowerCase()}.lan`;
    whois.holds(name);
    await watch(name);
    const asked = () => whois.queries.filter((query) => query === name).length;
    const before = asked();
    whois.says(name, lie);
    await eventually(
      () => Promise.resolve(asked()),
      (count) => count > before + 1, // so that one check is complete
    );
    whois.holds(name);
    expect([await statusOf(name), await movesOf(name)]).toEqual(['registered', []]);
  });
});

const check = (domain: string) => call({ path: `/v1/domains/check?domain=${domain}&max_age=0` });
const becomesAvailable = (domain: string) =>
  eventually(
    () => statusOf(domain),
    (status) => status === 'available',
  );

describe('the absence of a name at its registry', () => {
  it('is rejected while the parent zone delegates it, and accepted once it does not', async () => {
    const name = 'delegated.example';
    dns.delegates(name);
    running.registry.holds(name, { expiresAt: far });
    await watch(name);
    running.registry.releases(name);
    await untilChecked(name, 3);
    expect(await statusOf(name)).toBe('registered');
    expect(await check(name)).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
    dns.releases(name);
    await becomesAvailable(name);
    expect((await check(name)).body).toMatchObject({ status: 'available', available: true });
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
    expect(await check(domain)).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
  });

  it('is accepted after two answers where DNS does not respond', async () => {
    dns.says('silent.example', dnsAnswers.refused);
    running.registry.holds('silent.example', { expiresAt: far });
    await watch('silent.example');
    running.registry.releases('silent.example');
    await becomesAvailable('silent.example');
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
    running.registry.holds('undelegated.example', { expiresAt: far, statuses: ['client hold'] });
    expect((await check('undelegated.example')).body).toMatchObject({ status: 'registered', available: false });
    expect(dns.queries('undelegated.example')).toBe(0);
  });
});
