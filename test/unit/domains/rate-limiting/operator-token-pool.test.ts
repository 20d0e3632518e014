import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OperatorBudget } from '../../../../src/kernel/operator-budget.js';
import type { LookupPriority } from '../../../../src/domains/domain/lookup/admission.js';
import { type BucketGrant, OperatorTokenPool } from '../../../../src/domains/rate-limiting/operator-tokens.js';

/** A store that grants on demand, and records the requested numbers. */
class ScriptedBuckets {
  asked: number[] = [];
  gives: BucketGrant | null = null;

  take(_operator: string, _budget: OperatorBudget, tokens: number): Promise<BucketGrant> {
    this.asked.push(tokens);
    return Promise.resolve(this.gives ?? { tokens, waitMs: 0 });
  }
}

let buckets: ScriptedBuckets;
let pool: OperatorTokenPool;
const budget = { perSecond: 20, burst: 40, concurrency: 8 };
const fill = (priority: LookupPriority = 'check', waiting = 1) => pool.replenish(priority, waiting, performance.now());
const spendAll = () => {
  while (pool.hasToken()) pool.consume();
};

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  buckets = new ScriptedBuckets();
  pool = new OperatorTokenPool('verisign', budget, buckets);
});
afterEach(() => void jest.useRealTimers());

describe('the tokens held for an operator', () => {
  it('are fetched in blocks that double, up to a second’s worth', async () => {
    for (let block = 0; block < 7; block++) {
      await fill();
      spendAll();
    }
    expect(buckets.asked).toEqual([1, 2, 4, 8, 16, 20, 20]);
  });

  it('are fetched one by one again after an unused block', async () => {
    await fill();
    spendAll();
    await fill();
    pool.consume();
    jest.advanceTimersByTime(1_001);
    expect(pool.hasToken()).toBe(false);
    await fill();
    expect(buckets.asked).toEqual([1, 2, 1]);
  });

  it('are as many as requests are waiting', async () => {
    await fill('routine', 12);
    expect(buckets.asked).toEqual([12]);
    expect(pool.servableCount(50)).toBe(12);
  });

  it('are not fetched while the store is empty, which routine finds first', async () => {
    buckets.gives = { tokens: 0, waitMs: 500 };
    await fill('routine');
    expect(await fill('routine')).toBe(false);
    expect(await fill('check')).toBe(true);
    expect(await fill('check')).toBe(false);
    jest.advanceTimersByTime(501);
    expect(await fill('check')).toBe(true);
    expect(buckets.asked).toHaveLength(3);
  });

  it('expire later at slow rates', async () => {
    pool = new OperatorTokenPool('ie-registry', { perSecond: 0.001, burst: 10, concurrency: 1 }, buckets);
    await fill();
    jest.advanceTimersByTime(9_000);
    expect(pool.hasToken()).toBe(true);
    jest.advanceTimersByTime(1_001);
    expect(pool.hasToken()).toBe(false);
  });

  it('are unlimited without a rate', async () => {
    pool = new OperatorTokenPool('lab', { perSecond: 0, burst: 1, concurrency: 1 }, buckets);
    pool.consume();
    expect(pool.hasToken()).toBe(true);
    expect(await pool.reserve(1_000, 'routine')).toBe(1_000);
    expect(buckets.asked).toEqual([]);
  });
});
