import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../../../support/eventually.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';
import { PurgeHistory } from '../../../../src/watchlist/application/maintenance/purge-history.js';

let service: TestService;
let database: pg.Client;
beforeAll(async () => {
  service = await startTestService();
  database = new pg.Client(service.databaseUrl);
  await database.connect();
});
afterAll(async () => {
  await service.close();
  await database.end();
});

/** An entry with an interval that ended so many days ago, and a current one. */
async function anEntryWithPast(plan: string, endedDaysAgo: number) {
  const { key } = await service.openAccount(plan);
  const body = { domain: `past-${plan}--expiring.test` };
  const created = await service.call({ method: 'POST', path: '/v1/watchlist', body, key });
  const id = String(created.body['id']);
  const lengthOf = async () => {
    const answer = await service.call({ path: `/v1/watchlist/${id}/history`, key });
    return (answer.body['data'] as unknown[] | undefined)?.length;
  };
  await eventually(lengthOf, (length) => length === 1);
  await database.query(
    `insert into watch_history (entry_id, change_seq, status, phase, first_seen_at, last_seen_at, evidence)
     values ($1, 0, 'registered', 'registered', now() - interval '5 years', now() - make_interval(days => $2), '[]')`,
    [id, endedDaysAgo],
  );
  return { id, key, lengthOf };
}

describe('history', () => {
  it('is kept for as long as the plan says, and current intervals always', async () => {
    const forget = service.app.get(PurgeHistory, { strict: false });
    const free = await anEntryWithPast('free', 91);
    const business = await anEntryWithPast('business', 91);
    await forget.run();
    expect([await free.lengthOf(), await business.lengthOf()]).toEqual([1, 2]);
  });

  it('of sudden drops is kept for the week that the drop brake needs', async () => {
    await database.query(
      `insert into operator_drops (operator, at, drops)
       values ('acme', now() - interval '8 days', 1), ('acme', now() - interval '6 days', 2)`,
    );
    await service.app.get(PurgeHistory, { strict: false }).run();
    expect((await database.query('select drops from operator_drops')).rows).toEqual([{ drops: 2 }]);
  });

  it('of names is purged a month after their last watcher, and not while an entry is paused', async () => {
    const forget = service.app.get(PurgeHistory, { strict: false });
    const [left, paused] = [await anEntryWithPast('pro', 1), await anEntryWithPast('selfhost', 1)];
    await service.call({ method: 'DELETE', path: `/v1/watchlist/${left.id}`, key: left.key });
    const pause = { method: 'PATCH', path: `/v1/watchlist/${paused.id}`, body: { paused: true }, key: paused.key };
    expect((await service.call(pause)).status).toBe(200);
    const known = async () =>
      (await database.query(`select domain from watched_names where domain like 'past-%' order by 1`)).rows.length;
    const before = await known();
    await forget.run();
    expect(await known()).toBe(before);
    await database.query(
      `update watched_names set last_checked_at = now() - interval '31 days' where next_check_at is null`,
    );
    await forget.run();
    expect(await known()).toBe(before - 1);
  });
});
