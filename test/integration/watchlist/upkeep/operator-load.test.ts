import { describe, expect, it } from '@jest/globals';
import { MeasureOperatorLoad } from '../../../../src/watchlist/upkeep/measure-operator-load.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { runService } from '../run-service.js';

const rate = (perSecond: number) => ({ per_second: perSecond, burst: 1, concurrency: 1 });

const operators = { busy: rate(0.5), idle: rate(1_000), boundless: rate(0) };
const { call, query, part } = runService({
  ROLE: 'api',
  TIME_SCALE: '60', // no checks; an hour takes a minute, and half a check a second is one in two hours
  LOOKUP_BUDGETS_FILE: budgetsFile({ default: rate(1), operators }),
});

async function aWatch(domain: string, operator: string) {
  const added = await call({ method: 'POST', path: '/v1/watchlist', body: { domain, interval_minutes: 5 } });
  await query(`update watched_names set operator = $2, next_check_at = now() + interval '1 hour' where domain = $1`, [
    domain,
    operator,
  ]);
  return async () => {
    const { body } = await call({ path: `/v1/watchlist/${String(added.body['id'])}` });
    return [body['effective_interval_minutes'], body['interval_reason']];
  };
}
const measure = () => part(MeasureOperatorLoad).run();
const ago = (time: string) => query('update operator_loads set measured_at = now() - $1::interval', [time]);

describe('the load of an operator', () => {
  it('shows in its entries once it is measured, until the budget suffices again', async () => {
    const busy = await aWatch('busy--registered.test', 'busy');
    const [idle, boundless] = [await aWatch('idle--registered.test', 'idle'), await aWatch('ok.test', 'boundless')];
    // 30 names and half a check per minute of the watch: one each in 60 minutes.
    await query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at)
       select 'more-' || n || '.test', 'busy', 5, now() from generate_series(1, 29) n`,
    );
    expect(await busy()).toEqual([5, null]);
    await measure();
    expect([await busy(), await idle(), await boundless()]).toEqual([
      [60, 'budget'],
      [5, null],
      [5, null],
    ]);

    await query(`update watched_names set next_check_at = null where domain like 'more-%'`);
    await measure();
    expect(await busy()).toEqual([60, 'budget']); // measured just now
    await ago('5 minutes');
    await measure();
    expect(await busy()).toEqual([5, null]);
  });

  it('is deleted for operators without names', async () => {
    await query(`insert into operator_loads values ('gone', 7, now())`);
    await ago('5 minutes');
    await Promise.all([measure(), measure()]);
    const { rows } = await query<{ operator: string }>('select operator from operator_loads order by 1');
    expect(rows.map(({ operator }) => operator)).toEqual(['boundless', 'busy', 'idle']);
  });
});
