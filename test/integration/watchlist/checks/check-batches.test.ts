import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { CheckDueNames } from '../../../../src/watchlist/checks/check-due-names.js';
import { type LeaseBatch, LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import type { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { saying } from '../../../support/fakes/registry-faults.js';
import type { TestService } from '../../../support/servers/test-service.js';
import { startWithRegistry } from './registry-service.js';

/** The same at every check: a different date would be a change, which takes the transactional path. */
const EXPIRY = new Date(Date.now() + 300 * 86_400_000);

/** No scheduler and no worker takes part: claims and checks are made by hand here. */
describe('a batch of names', () => {
  let registry: FakeRegistry;
  let service: TestService;
  let claims: ClaimDueNames;
  let checks: CheckDueNames;
  let database: pg.Client;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ registry, service, database, close } = await startWithRegistry({ ROLE: 'api' }));
    claims = service.app.get(ClaimDueNames, { strict: false });
    checks = service.app.get(CheckDueNames, { strict: false });
  });
  afterAll(() => close());
  beforeEach(() => database.query('truncate watched_names, watch_entries, check_leases, events cascade'));

  const watch = async (domain: string) => {
    registry.holds(domain, { expiresAt: EXPIRY });
    const answer = await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    return String(answer.body['id']);
  };
  const due = () => database.query(`update watched_names set next_check_at = now() - interval '1 second'`);
  const claimOne = async (): Promise<LeaseBatch> => {
    const [batch, ...others] = await claims.run();
    if (!batch || others.length > 0) throw new Error(`not one batch, but ${batch ? others.length + 1 : 0}`);
    return batch;
  };
  const namesWith = async (condition: string) => {
    const { rows } = await database.query<{ domain: string }>(
      `select domain from watched_names where ${condition} order by domain`,
    );
    return rows.map(({ domain }) => domain);
  };
  const isDue = 'next_check_at <= now()';

  it('of one operator is claimed, checked and recorded together', async () => {
    for (const label of ['a', 'b', 'c']) await watch(`${label}.example`);
    const batch = await claimOne();
    expect([...batch.names].sort()).toEqual(['a.example', 'b.example', 'c.example']);
    expect(await claims.run()).toEqual([]);
    await checks.run(batch);
    expect(await namesWith(`facts_confirmed_at is not null and not ${isDue}`)).toHaveLength(3);
    expect((await database.query('select from check_leases')).rowCount).toBe(0);
  });

  it('that is delivered twice is checked once', async () => {
    await watch('twice.example');
    const batch = await claimOne();
    await Promise.all([checks.run(batch), checks.run(batch)]);
    const asked = registry.queries('twice.example');
    await checks.run(batch);
    expect(registry.queries('twice.example')).toBe(asked);
  });

  it('costs one statement to start, one to record and one row per name where nothing changed', async () => {
    for (let i = 0; i < 40; i += 1) await watch(`routine-${i}.example`);
    await checks.run(await claimOne());
    await due();
    const batch = await claimOne();
    const before = await written();
    const asked = () =>
      Array.from({ length: 40 }, (_, i) => registry.queries(`routine-${i}.example`)).reduce((a, b) => a + b);
    const askedBefore = asked();
    const calls: string[] = [];
    const statements = service.app.get(SqlClient, { strict: false });
    const run = statements.run.bind(statements);
    statements.run = (statement, values) => {
      calls.push(statement.name);
      return run(statement, values);
    };
    try {
      await checks.run(batch);
    } finally {
      statements.run = run;
    }
    // a lookup that fails on a slow machine is recorded with all columns
    const ours = new Set(
      calls.filter((name) => /^(check_lease|routine)_/.test(name)).map((name) => name.replace(/_times$/, '')),
    );
    expect([...ours]).toEqual(['check_lease_start', 'routine_updates_save']);
    expect(asked() - askedBefore).toBe(40);
    const after = await written();
    expect(after.names).toHaveLength(40);
    expect(after.names.filter((version) => before.names.includes(version))).toEqual([]);
    expect(after.entries).toEqual(before.entries);
  });

  /** The transaction that last wrote each row. */
  async function written() {
    const versions = async (table: string) => {
      const { rows } = await database.query<{ version: string }>(
        `select xmin::text as version from ${table} order by 1`,
      );
      return rows.map(({ version }) => version);
    };
    return { names: await versions('watched_names'), entries: await versions('watch_entries') };
  }

  it('keeps concurrent changes: a new watcher still gets its check, a removed name none', async () => {
    const ids = [await watch('newcomer.example'), await watch('left.example')];
    await checks.run(await claimOne());
    await due();
    // Too old an observation for the new entry to start from.
    await database.query(`update watched_names set facts_confirmed_at = facts_confirmed_at - interval '2 days'`);
    const batch = await claimOne();
    const { key } = await service.openAccount();
    registry.says('newcomer.example', (reply, name) => {
      void service
        .call({ method: 'POST', path: '/v1/watchlist', body: { domain: name }, key })
        .then(() => saying(200, rdapRecord(name, { expiresAt: EXPIRY }))(reply, name));
    });
    await service.call({ method: 'DELETE', path: `/v1/watchlist/${ids[1]}` });
    await checks.run(batch);
    expect(await namesWith('next_check_at is null')).toEqual(['left.example']);
    const { rows } = await database.query('select has_confirmed_facts from watch_entries order by id');
    expect(rows).toEqual([{ has_confirmed_facts: true }, { has_confirmed_facts: true }]);
  });

  it('has the most urgent names first where the quota is too small for all', async () => {
    for (let i = 0; i < 5; i += 1) await watch(`many-${i}.example`);
    await due();
    await database.query(`update watched_names set urgency = 0 where domain in ('many-3.example', 'many-1.example')`);
    const leases = service.app.get(LeaseRepository, { strict: false });
    const operator = (await leases.findOperatorsDue(new Date()))[0]?.operator ?? '';
    const batches = await leases.claimDue(new Date(), new Map([[operator, 2]]));
    expect(batches.flatMap(({ names }) => names).sort()).toEqual(['many-1.example', 'many-3.example']);
  });

  it('is filled from behind leased and poison names, however many come first', async () => {
    for (const label of ['held', 'poisonous', 'next', 'last']) await watch(`${label}.example`);
    await database.query(`
      with front as (
        insert into watched_names (domain, operator, interval_minutes, next_check_at, urgency)
        select label || '-' || n || '.example', operator, 60, now() - interval '1 hour', urgency
        from watched_names cross join (values ('held'), ('poisonous')) as f(label)
          cross join generate_series(1, 150) n
        where domain = 'next.example'
        returning domain, operator)
      insert into check_leases (domain, operator, token, until, starts)
      select domain, operator, gen_random_uuid(),
        now() + case when domain like 'held%' then interval '1 minute' else interval '-1 minute' end,
        case when domain like 'held%' then 1 else 5 end
      from front`);
    await database.query(
      `update watched_names set next_check_at = now() - interval '2 minutes' where domain = 'next.example'`,
    );
    const leases = service.app.get(LeaseRepository, { strict: false });
    const operator = (await leases.findOperatorsDue(new Date()))[0]?.operator ?? '';
    const batches = await leases.claimDue(new Date(), new Map([[operator, 1]]));
    expect(batches.map(({ names }) => names)).toEqual([['next.example']]);
  });

  const begin = (batch: LeaseBatch) => service.app.get(LeaseRepository, { strict: false }).start(batch, new Date());
  const die = () => database.query(`update check_leases set until = now() - interval '1 second'`);

  it('whose worker dies is claimed again, each name alone, and a name that keeps killing workers is postponed', async () => {
    await watch('poison.example');
    await watch('innocent.example');
    await begin(await claimOne());
    await die();
    const second = await claims.run();
    expect(second.map(({ names }) => names.length)).toEqual([1, 1]);
    const [poison, innocent] = ['poison.example', 'innocent.example'].map((name) =>
      second.find(({ names }) => names[0] === name),
    );
    if (!poison || !innocent) throw new Error('not both were claimed again');
    await checks.run(innocent);
    await begin(poison);
    for (let start = 3; start <= 5; start += 1) {
      await die();
      await begin(await claimOne());
    }
    await die();
    expect(await claims.run()).toEqual([]);
    expect(await claims.postponePoisonNames()).toEqual(['poison.example']);
    expect(await namesWith(isDue)).toEqual([]);
    await due();
    expect((await claims.run()).flatMap(({ names }) => names).sort()).toEqual(['innocent.example', 'poison.example']);
  });

  it('that was never started is not postponed, however often its lease expires', async () => {
    await watch('patient.example');
    for (let lease = 0; lease < 8; lease += 1) {
      await claimOne();
      await die();
    }
    expect(await claims.postponePoisonNames()).toEqual([]);
    expect((await claimOne()).names).toEqual(['patient.example']);
  });
});
