import { describe, expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import type { OperatorRateLimits } from '../../../../src/domains/index.js';
import { Clock } from '../../../../src/kernel/clock.js';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { ReassignOperators } from '../../../../src/watchlist/upkeep/reassign-operators.js';
import { LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { runService } from '../run-service.js';

const budget = (hosts: string[]) => ({ hosts, per_second: 100, burst: 1, concurrency: 1 });

const { query, part } = runService({
  ROLE: 'api', // no checks, and no periodic task interferes
  RDAP_OVERRIDES: 'example=http://rdap.new.internal:8080/,other=http://rdap.other.internal:8080/',
  LOOKUP_BUDGETS_FILE: budgetsFile({ operators: { new: budget(['rdap.new.internal:8080']) } }),
});

const stored = (names: string, operator: string) =>
  query(
    `insert into watched_names (domain, operator, interval_minutes, next_check_at, revision)
     select name, $2, 60, case when name not like 'resting%' then now() - interval '1 minute' end, 3
     from unnest(string_to_array($1, ' ')) as name`,
    [names, operator],
  );
const operators = async () => {
  const { rows } = await query<{ domain: string; operator: string; revision: number }>(
    'select domain, operator, revision from watched_names order by domain',
  );
  return rows.map(({ domain, operator, revision }) => [domain, operator, revision]);
};

const claimsWithin = (budgets: OperatorRateLimits, leaseSeconds = 60) =>
  new ClaimDueNames(part(LeaseRepository), budgets, part(Clock), TimeUnits.REAL, { leaseSeconds });

describe('names of a registry with a new operator', () => {
  it('are reassigned, also without watchers, and other names are not', async () => {
    await stored('a.example b.example resting.example x.other a.unknown', 'old');
    await stored('c.example', 'new');
    await stored('d.test', '');
    await Promise.all([part(ReassignOperators).run(), part(ReassignOperators).run()]);
    expect(await operators()).toEqual([
      ['a.example', 'new', 3],
      ['a.unknown', 'old', 3], // unknown to this process: a check finds out
      ['b.example', 'new', 3],
      ['c.example', 'new', 3],
      ['d.test', 'sandbox', 3],
      ['resting.example', 'new', 3],
      ['x.other', 'rdap.other.internal:8080', 3],
    ]);
    expect(await part(ReassignOperators).run()).toBe(0);
  });

  it('no longer wait for their former operator', async () => {
    await query('delete from watched_names');
    await stored('a.example b.example', 'old');
    const claims = async () => {
      const grants = new Map([
        ['old', { tokens: 0, reopensAt: null }],
        ['new', { tokens: 10, reopensAt: null }],
      ]);
      const spent = { availableQueries: () => grants } as unknown as OperatorRateLimits;
      const batches = await claimsWithin(spent).run();
      return batches.flatMap(({ operator, names }) => names.map((name) => [operator, name]));
    };
    expect(await claims()).toEqual([]);
    await part(ReassignOperators).run();
    expect(await claims()).toEqual([
      ['new', 'a.example'],
      ['new', 'b.example'],
    ]);
  });

  it('of an operator without a rate limit are claimed as far as a lease may last for them', async () => {
    await query('truncate watched_names, check_leases cascade');
    await stored(Array.from({ length: 200 }, (_, n) => `n${n}.example`).join(' '), 'new');
    const grants = new Map([['new', { tokens: Infinity, reopensAt: null }]]);
    const budgets = { availableQueries: () => grants } as unknown as OperatorRateLimits;
    const claims = claimsWithin(budgets, 2);
    const claimed = async () => (await claims.run()).flatMap(({ names }) => names).length;
    expect([await claimed(), await claimed()]).toEqual([130, 0]);
  });
});
