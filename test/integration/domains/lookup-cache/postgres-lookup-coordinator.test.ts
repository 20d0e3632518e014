import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { RefreshDomain } from '../../../../src/domains/index.js';
import { DomainName } from '../../../../src/domains/language.js';
import { LookupCoordinator } from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import type { PostgresLookupCoordinator } from '../../../../src/domains/lookup-cache/lookup-coordinator.repository.js';
import { eventually } from '../../../support/eventually.js';
import { dnsAnswers, FakeDns } from '../../../support/fakes/fake-dns.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { rdapNotFound, rdapRecord } from '../../../support/builders/rdap-answers.js';
import { saying, slowly } from '../../../support/fakes/registry-faults.js';
import { serviceDatabase, startTestService, type TestService } from '../../../support/servers/test-service.js';
import { running } from '../../../support/running.js';

const registry = running(() => FakeRegistry.start());
const dns = running(() => FakeDns.start());
let database: pg.Client;
let one: TestService;
let other: TestService;
let third: TestService;

beforeAll(async () => {
  const settings = {
    ROLE: 'api',
    DATABASE_URL: await serviceDatabase(),
    DNS_SERVERS: dns.host,
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  };
  one = await startTestService(settings);
  [other, third] = await Promise.all([startTestService(settings), startTestService(settings)]);
  database = new pg.Client(one.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await Promise.all([one.close(), other.close(), third.close()]);
  await database.end();
});

const check = (service: TestService, domain: string, more = '') =>
  service.call({ path: `/v1/domains/check?domain=${domain}${more}` });
/** A hundred simultaneous checks, spread over the processes. */
const hundred = (domain: string, more = '') =>
  Promise.all(Array.from({ length: 100 }, (_, i) => check([one, other, third][i % 3] ?? one, domain, more)));
const rowOf = async (domain: string) => {
  const { rows } = await database.query<Record<string, unknown>>('select * from lookups where domain = $1', [domain]);
  return rows[0];
};

describe('simultaneous checks in several processes', () => {
  it.each(['', '&max_age=0'])('send one query and get the same answer: %s', async (more) => {
    const name = `crowd${more.length}.example`;
    registry.says(name, slowly(200, saying(200, rdapRecord(name, { statuses: ['pending delete'] }))));
    const answers = await hundred(name, more);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 200, body: { status: 'pending_delete' } });
    expect(registry.queries(name)).toBe(1);
  });

  it('share a failure, which answers no later check', async () => {
    registry.says('busy.example', slowly(200, saying(500, 'broken')));
    const answers = await hundred('busy.example');
    for (const { status, headers } of answers) expect([status, headers['retry-after']]).toEqual([502, '300']);
    expect(registry.queries('busy.example')).toBe(1);
    registry.holds('busy.example');
    expect(await check(other, 'busy.example')).toMatchObject({ status: 200, body: { status: 'registered' } });
  });

  it('hold no transaction and no lock during the query', async () => {
    let held: unknown[] = ['not queried'];
    const whatIsHeld = async () => {
      const { rows } = await database.query<{ held: string }>(
        `select state || ' ' || query as held from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
         union all select 'advisory lock' from pg_locks l
         where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
      );
      // The short polls of waiting processes are no open transactions.
      return rows.map((row) => row.held).filter((text) => !text.startsWith('active'));
    };
    registry.says('held.example', (reply, name) => {
      void whatIsHeld().then((found) => {
        held = found;
        saying(404, rdapNotFound())(reply, name);
      });
    });
    await hundred('held.example');
    expect(held).toEqual([]);
  });
});

describe('an observation of one process', () => {
  it('answers checks in the others, with its time, age and evidence', async () => {
    const asked = await check(one, 'known.example', '&expand=evidence');
    const answer = await check(other, 'known.example', '&expand=evidence');
    expect(answer.body).toEqual(asked.body);
    expect(Number(answer.headers['age'])).toBeGreaterThanOrEqual(0);
    expect(registry.queries('known.example')).toBe(1);
  });

  it('does not answer a check with max_age=0', async () => {
    await check(one, 'live.example');
    await check(other, 'live.example', '&max_age=0');
    await check(one, 'live.example', '&max_age=0');
    expect(registry.queries('live.example')).toBe(3);
  });

  it('answers a check within its max_age only', async () => {
    await check(one, 'aging.example');
    await database.query(
      `update lookups set observed_at = observed_at - interval '20 seconds',
         observation = replace(observation, to_char(observed_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           to_char((observed_at - interval '20 seconds') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
       where domain = 'aging.example'`,
    );
    const { headers } = await check(other, 'aging.example', '&max_age=30');
    expect(['19', '20', '21']).toContain(String(headers['age']));
    expect(registry.queries('aging.example')).toBe(1);
    await check(third, 'aging.example', '&max_age=10');
    expect(registry.queries('aging.example')).toBe(2);
  });

  it('answers checks when a watch made it', async () => {
    registry.holds('watched.example', { expiresAt: new Date('2099-01-01') });
    const refresh = one.app.get(RefreshDomain, { strict: false });
    await refresh.run(DomainName.restore('watched.example'));
    await eventually(
      () => rowOf('watched.example'),
      (row) => row?.['observation'] !== undefined,
    );
    expect((await check(other, 'watched.example')).body).toMatchObject({ expires_at: '2099-01-01T00:00:00.000Z' });
    expect(registry.queries('watched.example')).toBe(1);
  });

  it('is evicted after another process observes a change', async () => {
    registry.holds('moving.example');
    await check(one, 'moving.example');
    registry.holds('moving.example', { statuses: ['pending delete'] });
    await check(other, 'moving.example', '&max_age=0');
    await eventually(
      () => check(one, 'moving.example'),
      ({ body }) => body['status'] === 'pending_delete',
    );
    expect(registry.queries('moving.example')).toBe(2);
  });

  it('is evicted everywhere by a DNS veto', async () => {
    expect((await check(one, 'doubted.example')).body).toMatchObject({ status: 'available' });
    dns.says('doubted.example', dnsAnswers.referral());
    expect(await check(other, 'doubted.example', '&max_age=0')).toMatchObject({ status: 502 });
    await eventually(
      () => check(one, 'doubted.example'),
      ({ status }) => status === 502,
    );
    expect(await check(third, 'doubted.example')).toMatchObject({ status: 502 });
  });

  it.each(['check', 'watch'])('is evicted by the DNS veto of a %s even if the table was lost', async (what) => {
    const domain = `lost-${what}.example`;
    expect((await check(one, domain)).body).toMatchObject({ status: 'available' });
    await database.query('delete from lookups where domain = $1', [domain]);
    dns.says(domain, dnsAnswers.referral());
    const refresh = other.app.get(RefreshDomain, { strict: false });
    // On a busy machine DNS may be inconclusive at first, which is no veto.
    await eventually(
      async () => {
        if (what === 'check') await check(other, domain, '&max_age=0');
        else await refresh.run(DomainName.restore(domain));
        return check(one, domain);
      },
      ({ status }) => status === 502,
    );
  });
});

describe('a long lookup', () => {
  it('keeps its lease while its process lives', async () => {
    registry.says('slow.example', slowly(5_500, saying(404, rdapNotFound())));
    const asked = [check(one, 'slow.example'), check(other, 'slow.example')];
    const leaseOf = async () => {
      const { rows } = await database.query<{ seconds: number }>(
        `select extract(epoch from leased_until - now())::float8 as seconds from lookups
         where domain = 'slow.example' and leased_until is not null`,
      );
      return rows[0]?.seconds ?? null;
    };
    const leases: number[] = [];
    await eventually(
      async () => {
        const lease = await leaseOf();
        if (lease !== null) leases.push(lease);
        return lease;
      },
      (lease) => lease === null && leases.length > 0,
    );
    expect((await Promise.all(asked)).map(({ body }) => body['status'])).toEqual(['available', 'available']);
    expect(registry.queries('slow.example')).toBe(1);
    expect([Math.max(...leases) <= 4, Math.min(...leases) > 0]).toEqual([true, true]);
  });
});

describe('a process that dies during its lookup', () => {
  it('delays the others until its lease ends', async () => {
    await database.query(
      `insert into lookups (domain, lease_id, leased_until)
       values ('lost.example', nextval('lookup_lease_ids'), now() + interval '1 second')`,
    );
    const answers = await Promise.all([check(one, 'lost.example'), check(other, 'lost.example')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(registry.queries('lost.example')).toBe(1);
  });

  it('cannot overwrite a later result', async () => {
    const name = DomainName.restore('late.example');
    const result = await other.app.get(RefreshDomain, { strict: false }).run(name);
    await eventually(
      () => rowOf('late.example'),
      (row) => row !== undefined,
    );
    registry.holds('late.example');
    await check(one, 'late.example', '&max_age=0');
    const { published_lease_id, facts, observation, observed_at } = (await rowOf('late.example')) ?? {};
    expect(facts).toContain('found');
    const late = { ...result, observedAt: new Date(result.observedAt.getTime() - 5_000) };
    const shared = other.app.get(LookupCoordinator, { strict: false });
    await shared.publish({ name, result: late, leaseId: '0', freshUntil: new Date() });
    expect(await rowOf('late.example')).toMatchObject({ published_lease_id, facts, observation, observed_at });
  });
});

describe('the shared table', () => {
  it('keeps a changing name of the sandbox for no longer than it stays as it is', async () => {
    await check(one, 'lifecycle-60s.test');
    const { rows } = await database.query(
      `select extract(epoch from fresh_until - observed_at)::int as seconds from lookups where domain = 'lifecycle-60s.test'`,
    );
    expect(rows).toEqual([{ seconds: 5 }]);
  });

  it('is pruned of stale rows', async () => {
    await check(one, 'old.example');
    await check(one, 'recent.example');
    await database.query(
      `update lookups set fresh_until = now() - interval '1 day', published_at = now() - interval '1 day'
       where domain = 'old.example'`,
    );
    await one.app.get<LookupCoordinator, PostgresLookupCoordinator>(LookupCoordinator, { strict: false }).prune();
    expect(await rowOf('old.example')).toBeUndefined();
    expect(await rowOf('recent.example')).toBeDefined();
  });

  it('keeps a veto of DNS for a day', async () => {
    const names = ['vetoed.example', 'vetoed-yesterday.example'];
    const inconclusive = async () => {
      const answers = [];
      for (const name of names) answers.push((await check(other, name, '&max_age=0')).status);
      return answers;
    };
    for (const name of names) {
      dns.delegates(name);
      expect((await check(one, name, '&max_age=0')).status).toBe(502);
      dns.says(name, dnsAnswers.refused);
    }
    const old = `now() - interval '23 hours'`;
    await database.query(
      `update lookups set fresh_until = ${old}, published_at = ${old}, leased_until = null, delegated_at = ${old}
       where domain = any($1)`,
      [names],
    );
    await database.query(
      `update lookups set delegated_at = now() - interval '25 hours' where domain = 'vetoed-yesterday.example'`,
    );
    await one.app.get<LookupCoordinator, PostgresLookupCoordinator>(LookupCoordinator, { strict: false }).prune();
    expect([await rowOf('vetoed.example'), await rowOf('vetoed-yesterday.example')]).toMatchObject([{}, undefined]);
    expect(await inconclusive()).toEqual([502, 200]);
    const { rows } = await database.query<{ kept: boolean }>(
      `select delegated_at < now() - interval '22 hours' as kept from lookups where domain = 'vetoed.example'`,
    );
    expect(rows).toEqual([{ kept: true }]); // an inconclusive answer does not prolong it
  });
});
