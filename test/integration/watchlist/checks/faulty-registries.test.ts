import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from '../../../support/eventually.js';
import { FakeDns } from '../../../support/fakes/fake-dns.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { FakeWhois, saying as whoisSaying, type WhoisAnswer, whoisFaults } from '../../../support/fakes/fake-whois.js';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { registryFaults, saying } from '../../../support/fakes/registry-faults.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';

const far = new Date(Date.now() + 300 * 86_400_000);
const folder = mkdtempSync(join(tmpdir(), 'namewatch-lies-'));
let rdap: FakeRegistry;
let whois: FakeWhois;
let dns: FakeDns;
let service: TestService;
let database: pg.Client;

beforeAll(async () => {
  [rdap, whois, dns] = await Promise.all([FakeRegistry.start(), FakeWhois.start(), FakeDns.start()]);
  const budgets = join(folder, 'budgets.json');
  writeFileSync(budgets, JSON.stringify({ default: { per_second: 0, burst: 100, concurrency: 100 } }));
  service = await startTestService({
    LOOKUP_BUDGETS_FILE: budgets,
    TIME_SCALE: '600', // five minutes take half a second
    ...{ RDAP_OVERRIDES: `example=${rdap.url}`, WHOIS_OVERRIDES: `lan=${whois.host}`, DNS_SERVERS: dns.host },
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  });
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await service.close();
  await Promise.all([rdap.stop(), whois.stop(), dns.stop(), database.end()]);
  rmSync(folder, { recursive: true });
});

const watch = async (...domains: string[]) => {
  for (const domain of domains) {
    const body = { domain, interval_minutes: 5 };
    expect(await service.call({ method: 'POST', path: '/v1/watchlist', body })).toMatchObject({ status: 201 });
  }
  for (const domain of domains) await eventually(() => lastCheckedAt(domain), Boolean);
};
const lastCheckedAt = async (domain: string) => {
  const { rows } = await database.query<{ at: Date | null }>(
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
  const { rows } = await database.query<{ body: string }>(
    `select e.body from events e join watch_entries w on w.id = e.entry_id where w.domain = $1 order by e.seq`,
    [domain],
  );
  return rows.map(({ body }) => (JSON.parse(body) as { data: { move: string } }).data.move);
};
const statusOf = async (domain: string) => {
  const { body } = await service.call({ path: `/v1/watchlist?per_page=100` });
  return (body['data'] as { domain: string; status: string }[]).find((entry) => entry.domain === domain)?.status;
};

describe('a registry that answers 404 to everything for a while', () => {
  it('makes none of its names available, since DNS still delegates them', async () => {
    const names = Array.from({ length: 5 }, (_, i) => `outage-${i}.example`);
    for (const name of names) {
      rdap.holds(name, { expiresAt: far });
      dns.delegates(name);
    }
    await watch(...names);
    rdap.saysToEverything(saying(404, rdapNotFound()));
    await Promise.all(names.map((name) => untilChecked(name, 3))); // more than the two answers that would confirm it
    rdap.saysToEverything(null);
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
    const catchUp = rdap.lags();
    rdap.holds('renewed.example', { registeredAt: new Date(), expiresAt: far });
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
    ['a rate limit page', registryFaults.limitPage],
    ['a refusal with Retry-After', registryFaults.throttled('1')],
    ['half of an answer', registryFaults.halfJson],
    ['a closed connection', registryFaults.hangUp],
  ])('%s, over RDAP', async (what, lie) => {
    const name = `${what.replace(/[^a-z]+/gi, '-').toLowerCase()}.example`;
    rdap.holds(name, { expiresAt: far });
    await watch(name);
    const before = rdap.queries(name);
    rdap.says(name, lie);
    await eventually(
      () => Promise.resolve(rdap.queries(name)),
      (count) => count > before + 1, // so that one check is complete
    );
    rdap.holds(name, { expiresAt: far });
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
