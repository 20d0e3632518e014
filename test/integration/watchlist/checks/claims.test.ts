import { beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseConfig } from '../../../../src/config/sections.js';
import type { OperatorRateLimits } from '../../../../src/domains/index.js';
import { Clock } from '../../../../src/kernel/clock.js';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import type { AccountLines } from '../../../../src/platform/concurrency/account-lines.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { type LeaseBatch, LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { BackgroundThrottle } from '../../../../src/watchlist/checks/background-throttle.js';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { eventually } from '../../../support/eventually.js';
import { runService } from '../run-service.js';

const MANY = 120;

let leases: LeaseRepository;
const { query, part } = runService({ ROLE: 'api' });
beforeEach(async () => {
  await query('truncate watched_names, check_leases cascade');
  leases = new LeaseRepository(part(SqlClient), part(LeaseConfig));
});

const fallDue = (label: string, ago: string, { names = 1, urgency = 2 } = {}) =>
  query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at, urgency)
     select $1 || '-' || n || '.test', 'an operator', 60, now() - $2::interval + n * interval '1 ms', $4
     from generate_series(1, $3) n`,
    [label, ago, names, urgency],
  );
async function claim(quota = 1_000): Promise<readonly LeaseBatch[]> {
  const now = new Date();
  const due = await leases.findOperatorsDue(now);
  return due.length > 0 ? leases.claimDue(now, new Map(due.map(({ operator }) => [operator, quota]))) : [];
}
const claimNames = async (quota?: number) => (await claim(quota)).flatMap(({ names }) => names);
const recordChecks = () =>
  query(`with ended as (delete from check_leases returning domain)
    update watched_names n set next_check_at = now() + interval '1 day' from ended where n.domain = ended.domain`);
async function claimMany(): Promise<void> {
  await fallDue('many', '10 minutes', { names: MANY });
  expect(await claimNames()).toHaveLength(MANY);
}
describe('names due for routine checks at one registry', () => {
  it('are claimed for a check at once if they are new, even if stored four seconds late', async () => {
    await claimMany();
    await fallDue('slow', '4 seconds');
    expect(await claimNames()).toEqual(['slow-1.test']);
  });

  it('are claimed again at once when their time-limited lock has expired or was released', async () => {
    await claimMany();
    await query(`update check_leases set until = now() - interval '1 second' where domain = 'many-7.test'`);
    const batches = await claim();
    expect(batches.map(({ names }) => names)).toEqual([['many-7.test']]);
    await leases.release(batches);
    expect(await claimNames()).toEqual(['many-7.test']);
  });

  it('are claimed in several turns, earliest first, if the quota is too small for all', async () => {
    await fallDue('many', '10 minutes', { names: MANY + 7 });
    const first = await claimNames(MANY);
    await recordChecks();
    expect(await claimNames(5)).toHaveLength(5);
    expect(await claimNames(5)).toEqual([`many-${MANY + 6}.test`, `many-${MANY + 7}.test`]);
    expect(first).toHaveLength(MANY);
  });

  it('are limited to what fits into their time-limited lock if the registry has no rate limit', async () => {
    await fallDue('many', '10 minutes', { names: 200 });
    const grants = new Map([['an operator', { tokens: Infinity, reopensAt: null }]]);
    const unlimited = { availableQueries: () => grants } as unknown as OperatorRateLimits;
    const claims = new ClaimDueNames(leases, unlimited, part(Clock), TimeUnits.REAL, part(BackgroundThrottle), {
      leaseSeconds: 2,
    });
    const claimed = async () => (await claims.run()).flatMap(({ names }) => names).length;
    expect([await claimed(), await claimed()]).toEqual([130, 0]);
  });

  it('wait five seconds longer while the API is in use, unless they may soon become available', async () => {
    await fallDue('routine', '1 second');
    await fallDue('late', '6 seconds');
    await fallDue('dropping', '1 second', { urgency: 0 });
    const grants = new Map([['an operator', { tokens: 10, reopensAt: null }]]);
    const limits = { availableQueries: () => grants } as unknown as OperatorRateLimits;
    const requests = { activeCount: 1 };
    const throttle = new BackgroundThrottle(requests as AccountLines, TimeUnits.REAL);
    const claims = new ClaimDueNames(leases, limits, part(Clock), TimeUnits.REAL, throttle, { leaseSeconds: 60 });
    const claimed = async () => (await claims.run()).flatMap(({ names }) => names).toSorted();
    expect(await claimed()).toEqual(['dropping-1.test', 'late-1.test']);
    requests.activeCount = 0;
    expect(await claimed()).toEqual(['routine-1.test']);
  });

  it('are claimed after urgent names if the quota is too small for all', async () => {
    await claimMany();
    await fallDue('earlier', '20 minutes');
    await fallDue('urgent', '5 minutes', { urgency: 0 });
    expect(await claimNames(1)).toEqual(['urgent-1.test']);
  });

  it('are claimed even while another process claims some of them', async () => {
    await fallDue('many', '10 minutes', { names: 3 * MANY });
    await leases.findOperatorsDue(new Date());
    await query('begin');
    await query(
      `insert into check_leases (domain, operator, token, until, starts)
       select domain, operator, gen_random_uuid(), now() + interval '1 minute', 0 from watched_names
       order by next_check_at limit $1`,
      [MANY],
    );
    const claiming = leases.claimDue(new Date(), new Map([['an operator', 2 * MANY]]));
    const blocked = () =>
      query(`select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`);
    await eventually(blocked, ({ rowCount }) => rowCount === 1);
    await query('commit');
    expect((await claiming).flatMap(({ names }) => names)).toHaveLength(MANY);
    expect(await claimNames()).toHaveLength(MANY);
  });
});
