import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { FakeDns } from '../../../world/dns.js';
import { FakeWhois } from '../../../world/whois.js';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { saying } from '../../../world/registry-faults.js';
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
  const moves = rows.map(({ body }) => (JSON.parse(body) as { data: { move: string | null } }).data.move);
  return moves.filter((move) => move !== null); // on a slow machine the outage is long enough for an alert, no move
};
const statusOf = async (domain: string) => {
  const { body } = await call({ path: `/v1/watchlist?per_page=100` });
  return (body['data'] as { domain: string; status: string }[]).find((entry) => entry.domain === domain)?.status;
};

describe('a registry that answers 404 to everything for a while', () => {
  it('changes no watched name to available while DNS still delegates the name', async () => {
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
  it('does not turn a re-registered name back to available', async () => {
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
