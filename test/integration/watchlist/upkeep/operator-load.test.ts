import { describe, expect, it } from '@jest/globals';
import { runService } from '../run-service.js';

const { call, query } = runService({ ROLE: 'api' }); // no checks

async function aWatch(domain: string, operator: string) {
  const added = await call({ method: 'POST', path: '/v1/watchlist', body: { domain, interval_minutes: 60 } });
  await query(`update watched_names set operator = $2, next_check_at = now() + interval '1 hour' where domain = $1`, [
    domain,
    operator,
  ]);
  return async () => {
    const { body } = await call({ path: `/v1/watchlist/${String(added.body['id'])}` });
    return [body['effective_interval_minutes'], body['interval_reason']];
  };
}

describe('an entry while its registry’s checks are late', () => {
  it('shows its effective check interval, with backlog or rate limit as the reason', async () => {
    const busy = await aWatch('busy--registered.test', 'busy');
    const idle = await aWatch('idle--registered.test', 'idle');
    await query(
      `insert into watched_names (domain, operator, interval_minutes, next_check_at)
       values ('late.test', 'busy', 60, now() - interval '29 minutes 30 seconds')`,
    );
    expect([await busy(), await idle()]).toEqual([
      [90, 'backlog'],
      [60, null],
    ]);
    await query(`insert into registry_operators (operator, full_at) values ('busy', now() + interval '1 minute')`);
    expect(await busy()).toEqual([90, 'budget']);
    await query(`update watched_names set next_check_at = now() where domain = 'late.test'`);
    expect(await busy()).toEqual([60, null]);
  });
});
