import { describe, expect, it } from '@jest/globals';
import { mostRowsRead } from '../../../support/database/rows-read.js';
import { eventually } from '../../../support/eventually.js';
import { runService } from '../run-service.js';
import { PurgeHistory } from '../../../../src/watchlist/upkeep/purge-history.js';
import { PURGE_UNWATCHED } from '../../../../src/watchlist/watched-names.repository.js';

const { running, call, query, part } = runService();

/** An entry with an interval that ended so many days ago, and a current one. */
async function anEntryWithPast(plan: string, endedDaysAgo: number) {
  const { key } = await running.service.openAccount(plan);
  const body = { domain: `past-${plan}--expiring.test` };
  const created = await call({ method: 'POST', path: '/v1/watchlist', body, key });
  const id = String(created.body['id']);
  const lengthOf = async () => {
    const answer = await call({ path: `/v1/watchlist/${id}/history`, key });
    return (answer.body['data'] as unknown[] | undefined)?.length;
  };
  await eventually(lengthOf, (length) => length === 1);
  await query(
    `insert into watch_history (entry_id, change_seq, status, phase, first_seen_at, last_seen_at, evidence)
     values ($1, 0, 'registered', 'registered', now() - interval '5 years', now() - make_interval(days => $2), '[]')`,
    [id, endedDaysAgo],
  );
  return { id, key, lengthOf };
}

describe('the purge of old data', () => {
  it('deletes ended history intervals after the plan’s retention, and keeps current ones', async () => {
    const forget = part(PurgeHistory);
    const free = await anEntryWithPast('free', 91);
    const business = await anEntryWithPast('business', 91);
    await forget.run();
    expect([await free.lengthOf(), await business.lengthOf()]).toEqual([1, 2]);
  });

  it('deletes all 1 300 expired history intervals, although intervals to keep lie between them', async () => {
    const { id: accountId } = await running.service.openAccount('free');
    const { id: otherId } = await running.service.openAccount('business');
    await query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at) values ('bulk.test', '', 60, now())`,
    );
    for (const id of [accountId, otherId])
      await query(
        `insert into watch_entries (id, account_id, domain, interval_minutes,
           expiring_window_days, status, phase,
           change_seq, has_confirmed_facts, boundary_at, paused, tags, purpose, created_at, updated_at)
         values ($1, $1, 'bulk.test', 60, 30, 'registered', 'registered', 9, true, null, false, '{}', 'own', now(), now())`,
        [id],
      );
    await query(
      `insert into watch_history (entry_id, change_seq, status, phase, first_seen_at, last_seen_at, evidence)
       select id, n, 'registered', 'registered', now() - interval '2 years', now() - interval '1 year' - interval '1 second' * (n / 5), '[]'
       from generate_series(1, 1_300) n cross join unnest($1::text[]) id`,
      [[accountId, otherId]],
    );
    expect(await part(PurgeHistory).run()).toMatchObject({ intervals: 1_300 });
    const left = await query('select distinct entry_id from watch_history where change_seq > 9');
    expect(left.rows).toEqual([{ entry_id: otherId }]);
  });

  it('deletes all 2 178 unwatched names, and keeps watched names', async () => {
    await query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at, last_checked_at)
       select 'left-' || n || '.test', '', 60, case when n % 100 = 0 then now() end,
         case when n % 2 = 0 then now() - interval '60 days' - interval '1 minute' * (n / 7) end
       from generate_series(1, 2_200) n`,
    );
    expect(await part(PurgeHistory).run()).toMatchObject({ names: 2_178 });
    const left = await query(`select count(*)::int as names from watched_names where domain like 'left-%'`);
    expect(left.rows).toEqual([{ names: 22 }]);
    await query(`delete from watched_names where domain like 'left-%'`);
  });

  it('reads each unwatched name at most once per statement, even with outdated database statistics', async () => {
    await query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at, last_checked_at)
       select 'rested-' || n || '.test', '', 60, now() + interval '1 day',
         case when n % 2 = 0 then now() - interval '60 days' - interval '1 second' * n end
       from generate_series(1, 6_000) n`,
    );
    await query('analyze watched_names');
    await query(`update watched_names set next_check_at = null where domain like 'rested-%'`);
    const values = [new Date(), '-infinity', ''];
    for (const statement of PURGE_UNWATCHED)
      expect(await mostRowsRead(running.service.databaseUrl, [{ statement, values }])).toBeLessThanOrEqual(6_000);
    expect(await part(PurgeHistory).run()).toMatchObject({ names: 6_000 });
  });

  it('deletes registration records once they are older than the longest retention of any plan', async () => {
    await query(`insert into watched_names (domain, operator, interval_minutes, next_check_at)
       values ('owned.test', '', 60, now() + interval '1 day')`);
    await query(
      `insert into registration_records (domain, kind, value, first_seen_at, last_seen_at, confirmed_at, previous)
       select 'owned.test', kind, '[]', now() - interval '4 years' + interval '1 minute' * n,
         case when n < 1_300 then now() - interval '731 days' - interval '1 minute' * (n % 7)
           when n = 1_300 then now() - interval '729 days' end, now() - interval '3 years', '[]'
       from generate_series(1, 1_301) n cross join unnest(array['nameservers', 'ds']) kind`,
    );
    const purge = part(PurgeHistory);
    expect([await purge.run(), await purge.run()]).toMatchObject([{ records: 2_598 }, { records: 0 }]);
    const left = await query(
      `select kind, last_seen_at is null as "isCurrent" from registration_records where domain = 'owned.test'
       order by 1, 2`,
    );
    const kept = (kind: string) => [false, true].map((isCurrent) => ({ kind, isCurrent }));
    expect(left.rows).toEqual([...kept('ds'), ...kept('nameservers')]);
  });

  it('deletes an unwatched name after a month without checks, but not if its entry is paused', async () => {
    const forget = part(PurgeHistory);
    const [left, paused] = [await anEntryWithPast('pro', 1), await anEntryWithPast('selfhost', 1)];
    await call({ method: 'DELETE', path: `/v1/watchlist/${left.id}`, key: left.key });
    const pause = { method: 'PATCH', path: `/v1/watchlist/${paused.id}`, body: { paused: true }, key: paused.key };
    expect((await call(pause)).status).toBe(200);
    const known = async () =>
      (await query(`select domain from watched_names where domain like 'past-%' order by 1`)).rows.length;
    const before = await known();
    await forget.run();
    expect(await known()).toBe(before);
    await query(`update watched_names set last_checked_at = now() - interval '31 days' where next_check_at is null`);
    await forget.run();
    expect(await known()).toBe(before - 1);
  });
});
