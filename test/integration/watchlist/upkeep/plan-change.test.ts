import { describe, expect, it } from '@jest/globals';
import { AccountAdminService, PlanCatalogue } from '../../../../src/auth/index.js';
import { Config } from '../../../../src/config/config.js';
import { Clock } from '../../../../src/kernel/clock.js';
import { UnitOfWork, TransactionConflict } from '../../../../src/kernel/unit-of-work.js';
import { FollowAccounts } from '../../../../src/watchlist/upkeep/follow-accounts.js';
import { FollowedAccountRepository } from '../../../../src/watchlist/upkeep/followed-accounts.repository.js';
import { EntryBatch } from '../../../../src/watchlist/entries/entry-batch.js';
import { CheckSchedule } from '../../../../src/watchlist/domain/check-schedule.js';
import { WatchEntryRepository } from '../../../../src/watchlist/watch-entries.repository.js';
import { WatchedNameRepository } from '../../../../src/watchlist/watched-names.repository.js';
import { runService } from '../run-service.js';

const { running, call, query, part } = runService({ ROLE: 'api' }); // no periodic task interferes

/** The use case with these plans, or on this unit of work. */
const follow = ({
  plans = part(PlanCatalogue),
  work = part(UnitOfWork),
}: { plans?: PlanCatalogue; work?: UnitOfWork } = {}) =>
  new FollowAccounts(
    part(FollowedAccountRepository),
    part(WatchEntryRepository),
    new EntryBatch(part(WatchedNameRepository), part(WatchEntryRepository), work),
    plans,
    part(CheckSchedule),
    part(Clock),
  ).run();
const putOn = async (account: { id: string }, plan: string) => {
  await follow();
  await part(AccountAdminService).changePlan(account.id, plan);
};

async function aWatch(account: { key: string }, domain: string, interval: number) {
  const body = { domain, interval_minutes: interval };
  const added = await call({ method: 'POST', path: '/v1/watchlist', body, key: account.key });
  const path = `/v1/watchlist/${String(added.body['id'])}`;
  return {
    show: async () => (await call({ path, key: account.key })).body,
    patch: (settings: unknown, { key } = account) => call({ method: 'PATCH', path, body: settings, key }),
  };
}
const effective = (minutes: number, reason: string | null) => ({
  effective_interval_minutes: minutes,
  interval_reason: reason,
});
const stored = async (domain: string) => {
  const { rows } = await query<{ interval_minutes: number; next_check_at: Date | null }>(
    'select interval_minutes, next_check_at from watched_names where domain = $1',
    [domain],
  );
  return rows[0];
};

describe('a smaller plan', () => {
  it('lengthens shorter check intervals without an event; a larger plan restores the chosen interval', async () => {
    const account = await running.service.openAccount('business');
    const hurried = await aWatch(account, 'hurried--registered.test', 5);
    const daily = await aWatch(account, 'daily--registered.test', 1440);
    const before = await hurried.show();
    await putOn(account, 'free');
    await follow();
    expect(await hurried.show()).toEqual({ ...before, ...effective(720, 'plan') });
    expect(await daily.show()).toMatchObject({ interval_minutes: 1440, ...effective(1440, null) });
    expect(await stored('hurried--registered.test')).toMatchObject({ interval_minutes: 720 });
    expect((await call({ path: '/v1/events', key: account.key })).body['data']).toEqual([]);
    await query(
      `update watched_names set last_checked_at = now(), next_check_at = now() + interval '12 hours' where domain = $1`,
      ['hurried--registered.test'],
    );

    await putOn(account, 'business');
    await follow();
    expect(await hurried.show()).toMatchObject(effective(5, null));
    const { interval_minutes, next_check_at } = (await stored('hurried--registered.test')) ?? {};
    expect(interval_minutes).toBe(5);
    expect(Number(next_check_at) - Date.now()).toBeLessThanOrEqual(5 * 60_000);
  });

  it('lengthens check intervals also for an account that was opened a moment before', async () => {
    const account = await running.service.openAccount('business');
    const entry = await aWatch(account, 'early--registered.test', 5);
    await part(AccountAdminService).changePlan(account.id, 'free');
    await follow();
    expect(await entry.show()).toMatchObject(effective(720, 'plan'));
    expect(await stored('early--registered.test')).toMatchObject({ interval_minutes: 720 });
  });

  it('answers 422 to a new interval that is too short, but allows other changes', async () => {
    const account = await running.service.openAccount('business');
    const entry = await aWatch(account, 'judged--registered.test', 5);
    await putOn(account, 'pro');
    await follow();
    // A new key: a used one is cached with its former plan for a moment.
    const request = {
      accountId: account.id,
      name: 'new',
      scopes: ['admin'],
      expiresAt: null,
      issuedBy: 'cli',
    } as const;
    const key = { key: (await part(AccountAdminService).issueKey(request)).key.text };
    expect(await entry.patch({ interval_minutes: 30 }, key)).toMatchObject({ status: 422 });
    expect((await entry.patch({ tags: ['kept'] }, key)).body).toMatchObject({
      interval_minutes: 5,
      ...effective(60, 'plan'),
    });
    expect((await entry.patch({ interval_minutes: 180 }, key)).body).toMatchObject(effective(180, null));
  });

  it('keeps the check interval of another account that watches the same name', async () => {
    const [lesser, other] = [
      await running.service.openAccount('business'),
      await running.service.openAccount('business'),
    ];
    const entry = await aWatch(lesser, 'shared--registered.test', 5);
    await aWatch(other, 'shared--registered.test', 15);
    await putOn(lesser, 'free');
    await follow();
    expect(await entry.show()).toMatchObject(effective(720, 'plan'));
    expect(await stored('shared--registered.test')).toMatchObject({ interval_minutes: 15 });
  });

  it('schedules no check of a paused entry, and lengthens the interval when the entry resumes', async () => {
    const account = await running.service.openAccount('business');
    const entry = await aWatch(account, 'paused--registered.test', 5);
    await entry.patch({ paused: true });
    await putOn(account, 'free');
    await follow();
    expect(await stored('paused--registered.test')).toMatchObject({ next_check_at: null });
    await entry.patch({ paused: false });
    expect(await entry.show()).toMatchObject(effective(720, 'plan'));
    expect(await stored('paused--registered.test')).toMatchObject({ interval_minutes: 720 });
  });
});

describe('applying a change of plans', () => {
  it('is completed after a failed run by two runs at the same time', async () => {
    const account = await running.service.openAccount('business');
    const [one, two] = [1, 2].map((n) => `crash-${n}--registered.test`);
    const entries = [await aWatch(account, one ?? '', 5), await aWatch(account, two ?? '', 5)];
    await putOn(account, 'free');
    const work = new (class extends UnitOfWork {
      run<Result>(): Promise<Result> {
        return Promise.reject(new TransactionConflict('killed'));
      }
    })();
    await expect(follow({ work })).rejects.toThrow('killed');
    const shown = () => Promise.all(entries.map(async (entry) => (await entry.show())['interval_reason']));
    expect(await shown()).toEqual(['plan', 'plan']); // it is read
    expect(await stored(one ?? '')).toMatchObject({ interval_minutes: 5 });
    await Promise.all([follow(), follow()]);
    expect([await stored(one ?? ''), await stored(two ?? '')]).toMatchObject([
      { interval_minutes: 720 },
      { interval_minutes: 720 },
    ]);
    expect(await follow()).toBe(0);
  });

  it('uses the plan’s new intervals, and the default plan if the plan is gone', async () => {
    const account = await running.service.openAccount('pro');
    const entry = await aWatch(account, 'settings--registered.test', 60);
    await follow();
    const config = part(Config);
    const { pro, ...others } = config.plans;
    if (!pro) throw new Error('there is no plan pro');
    const withPro = (intervals: number[]) =>
      new PlanCatalogue({ ...config, plans: { ...others, pro: { ...pro, intervals } } });
    await follow({ plans: withPro([180, 360]) });
    expect(await entry.show()).toMatchObject(effective(180, 'plan'));
    await follow({ plans: new PlanCatalogue({ ...config, plans: others }) });
    expect(await entry.show()).toMatchObject(effective(60, null));
  });
});
