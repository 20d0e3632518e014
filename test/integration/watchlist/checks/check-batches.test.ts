import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DomainLookup } from '../../../../src/domains/index.js';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { CheckDueNames } from '../../../../src/watchlist/checks/check-due-names.js';
import { type LeaseBatch, LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { FollowAccounts } from '../../../../src/watchlist/upkeep/follow-accounts.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { eventually } from '../../../support/eventually.js';
import { saying } from '../../../world/registry-faults.js';
import { runService } from '../run-service.js';

/** The same at every check: a different date would be a change, which takes the transactional path. */
const EXPIRY = new Date(Date.now() + 300 * 86_400_000);

/** No scheduler and no worker takes part: claims and checks are made by hand here. */
describe('a batch of due names', () => {
  const { running, call, query, part } = runService({ ROLE: 'api' });
  beforeEach(() => query('truncate watched_names, watch_entries, check_leases, events cascade'));

  const watch = async (domain: string) => {
    running.registry.holds(domain, { expiresAt: EXPIRY });
    const answer = await call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    return String(answer.body['id']);
  };
  const due = () => query(`update watched_names set next_check_at = now() - interval '1 second'`);
  const claimOne = async (): Promise<LeaseBatch> => {
    const [batch, ...others] = await part(ClaimDueNames).run();
    if (!batch || others.length > 0) throw new Error(`not one batch, but ${batch ? others.length + 1 : 0}`);
    return batch;
  };
  const namesWith = async (condition: string) => {
    const { rows } = await query<{ domain: string }>(
      `select domain from watched_names where ${condition} order by domain`,
    );
    return rows.map(({ domain }) => domain);
  };
  const isDue = 'next_check_at <= now()';

  it('contains all due names of one registry operator, and records an answer for each', async () => {
    for (const label of ['a', 'b', 'c']) await watch(`${label}.example`);
    const batch = await claimOne();
    expect([...batch.names].sort()).toEqual(['a.example', 'b.example', 'c.example']);
    expect(await part(ClaimDueNames).run()).toEqual([]);
    await part(CheckDueNames).run(batch);
    expect(await namesWith(`facts_confirmed_at is not null and not ${isDue}`)).toHaveLength(3);
    expect((await query('select from check_leases')).rowCount).toBe(0);
  });

  it('is not checked again when it is delivered again after its check', async () => {
    await watch('twice.example');
    const batch = await claimOne();
    await Promise.all([part(CheckDueNames).run(batch), part(CheckDueNames).run(batch)]);
    const asked = running.registry.queries('twice.example');
    await part(CheckDueNames).run(batch);
    expect(running.registry.queries('twice.example')).toBe(asked);
  });

  it('stores the answer for an entry added meanwhile too, and plans no check of a removed name', async () => {
    const ids = [await watch('newcomer.example'), await watch('left.example')];
    await part(CheckDueNames).run(await claimOne());
    await due();
    // Too old an observation for the new entry to start from.
    await query(`update watched_names set facts_confirmed_at = facts_confirmed_at - interval '2 days'`);
    const batch = await claimOne();
    const { key } = await running.service.openAccount();
    running.registry.says('newcomer.example', (reply, name) => {
      void call({ method: 'POST', path: '/v1/watchlist', body: { domain: name }, key }).then(() =>
        saying(200, rdapRecord(name, { expiresAt: EXPIRY }))(reply, name),
      );
    });
    await call({ method: 'DELETE', path: `/v1/watchlist/${ids[1]}` });
    await part(CheckDueNames).run(batch);
    expect(await namesWith('next_check_at is null')).toEqual(['left.example']);
    const { rows } = await query('select has_confirmed_facts from watch_entries order by id');
    expect(rows).toEqual([{ has_confirmed_facts: true }, { has_confirmed_facts: true }]);
  });

  it('leaves out names that only suspended accounts watch, until such an account is resumed', async () => {
    const account = await running.service.openAccount();
    const suspend = (at: string) => query(`update accounts set suspended_at = ${at} where id = $1`, [account.id]);
    const follow = () => part(FollowAccounts).run();
    await follow();
    for (const domain of ['shared.example', 'alone.example']) {
      running.registry.holds(domain, { expiresAt: EXPIRY });
      await call({ method: 'POST', path: '/v1/watchlist', body: { domain }, key: account.key });
    }
    await watch('shared.example');
    const batch = await claimOne();
    await suspend('now()'); // also where its names were added a moment later
    await part(CheckDueNames).run(batch);
    expect(await namesWith('next_check_at is null')).toEqual(['alone.example']);
    expect([running.registry.queries('alone.example'), running.registry.queries('shared.example')]).toEqual([0, 1]);
    const theirs = () =>
      query('select distinct has_confirmed_facts as knows from watch_entries where account_id = $1', [account.id]);
    expect((await theirs()).rows).toEqual([{ knows: false }]);

    await follow();
    await suspend('null');
    await follow();
    // The service follows the database's clock, and may be a few milliseconds ahead.
    expect(
      await eventually(
        () => namesWith(isDue),
        (due) => due.length > 0,
      ),
    ).toEqual(['alone.example', 'shared.example']);
    await part(CheckDueNames).run(await claimOne());
    expect((await theirs()).rows).toEqual([{ knows: true }]);
    expect(await follow()).toBe(0);
  });

  it('is filled with other names if many locked or crash-causing names were due earlier', async () => {
    for (const label of ['held', 'poisonous', 'next', 'last']) await watch(`${label}.example`);
    await query(`
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
    await query(`update watched_names set next_check_at = now() - interval '2 minutes' where domain = 'next.example'`);
    const leases = part(LeaseRepository);
    const operator = (await leases.findOperatorsDue(new Date()))[0]?.operator ?? '';
    const batches = await leases.claimDue(new Date(), new Map([[operator, 1]]));
    expect(batches.map(({ names }) => names)).toEqual([['next.example']]);
  });

  const begin = (batch: LeaseBatch) => part(LeaseRepository).start(batch, new Date());
  const die = () => query(`update check_leases set until = now() - interval '1 second'`);

  it('is split into single names when its worker dies; names that end five workers are postponed', async () => {
    await watch('poison.example');
    await watch('innocent.example');
    await begin(await claimOne());
    await die();
    const second = await part(ClaimDueNames).run();
    expect(second.map(({ names }) => names.length)).toEqual([1, 1]);
    const [poison, innocent] = ['poison.example', 'innocent.example'].map((name) =>
      second.find(({ names }) => names[0] === name),
    );
    if (!poison || !innocent) throw new Error('not both were claimed again');
    await part(CheckDueNames).run(innocent);
    await begin(poison);
    for (let start = 3; start <= 5; start += 1) {
      await die();
      await begin(await claimOne());
    }
    await die();
    expect(await part(ClaimDueNames).run()).toEqual([]);
    expect(await part(ClaimDueNames).postponePoisonNames()).toEqual(['poison.example']);
    expect(await namesWith(isDue)).toEqual([]);
    await due();
    expect((await part(ClaimDueNames).run()).flatMap(({ names }) => names).sort()).toEqual([
      'innocent.example',
      'poison.example',
    ]);
  });

  it('makes no lookup if its time-limited locks expire before a slow database confirms them', async () => {
    await watch('slow.example');
    const batch = await claimOne();
    const leases = part(LeaseRepository);
    const start = leases.start.bind(leases);
    const timer = performance.now.bind(performance);
    const answered = jest.spyOn(leases, 'start').mockImplementationOnce(async (...given) => {
      const names = await start(...given);
      await die();
      jest.spyOn(performance, 'now').mockImplementation(() => timer() + 61_000);
      return names;
    });
    await part(CheckDueNames).run(batch);
    expect(answered).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
    expect(running.registry.queries('slow.example')).toBe(0);
  });

  it('is not postponed if no worker ever started it, however often its time-limited locks expire', async () => {
    await watch('patient.example');
    for (let lease = 0; lease < 8; lease += 1) {
      await claimOne();
      await die();
    }
    expect(await part(ClaimDueNames).postponePoisonNames()).toEqual([]);
    expect((await claimOne()).names).toEqual(['patient.example']);
  });
});

describe('a lookup that never ends', () => {
  const { call, query, part } = runService({ ROLE: 'api', LEASE_SECONDS: '2' });

  it('is ended before the time-limited lock on its name expires; other names are still finished', async () => {
    for (const domain of ['stuck--registered.test', 'well--registered.test'])
      await call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    const lookup = part(DomainLookup);
    const forWatch = lookup.forWatch.bind(lookup);
    jest.spyOn(lookup, 'forWatch').mockImplementation((name, ...rest) => {
      if (name.ascii.startsWith('stuck')) return new Promise<never>(() => undefined);
      return forWatch(name, ...rest);
    });
    const [batch] = await part(ClaimDueNames).run();
    if (!batch) throw new Error('nothing was claimed');
    await expect(part(CheckDueNames).run(batch)).rejects.toThrow('no answer within');
    const { rows } = await query('select domain from check_leases where until > now()');
    expect(rows).toEqual([{ domain: 'stuck--registered.test' }]);
    jest.restoreAllMocks();
  });
});
