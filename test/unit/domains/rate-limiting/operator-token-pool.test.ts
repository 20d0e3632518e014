import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LookupPriority, OperatorBudget } from '../../../../src/domains/domain/lookup/operator-budget.js';
import { type BucketGrant, TokenBuckets } from '../../../../src/domains/infrastructure/rate-limiting/token-buckets.js';
import { OperatorTokenPool } from '../../../../src/domains/infrastructure/rate-limiting/operator-token-pool.js';

/** A store that gives what it is told to, and notes what was asked for. */
class ScriptedBuckets extends TokenBuckets {
  asked: number[] = [];
  gives: BucketGrant | null = null;

  constructor() {
    super(() => {
      throw new Error('no store');
    });
  }

  override take(_operator: string, _budget: OperatorBudget, tokens: number): Promise<BucketGrant> {
    this.asked.push(tokens);
    return Promise.resolve(this.gives ?? { tokens, waitMs: 0 });
  }
}

let buckets: ScriptedBuckets;
let hand: OperatorTokenPool;
const budget = { perSecond: 20, burst: 40, concurrency: 8 };
const fill = (lane: LookupPriority = 'check', waiting = 1) => hand.replenish(lane, waiting, performance.now());
const spendAll = () => {
  while (hand.hasToken()) hand.consume();
};

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
  buckets = new ScriptedBuckets();
  hand = new OperatorTokenPool('verisign', budget, buckets);
});
afterEach(() => void jest.useRealTimers());

describe('the tokens in hand', () => {
  it('come one by one at first, then in blocks twice as large, and never more than a second’s worth', async () => {
    for (let block = 0; block < 7; block++) {
      await fill();
      spendAll();
    }
    expect(buckets.asked).toEqual([1, 2, 4, 8, 16, 20, 20]);
  });

  it('come one by one again when the last block was not used up', async () => {
    await fill();
    spendAll();
    await fill();
    hand.consume();
    jest.advanceTimersByTime(1_001);
    expect(hand.hasToken()).toBe(false);
    await fill();
    expect(buckets.asked).toEqual([1, 2, 1]);
  });

  it('are as many as questions wait', async () => {
    await fill('routine', 12);
    expect(buckets.asked).toEqual([12]);
    expect(hand.servableCount(50)).toBe(12);
  });

  it('are not asked for while there are none, by routine before anybody else', async () => {
    buckets.gives = { tokens: 0, waitMs: 500 };
    await fill('routine');
    expect(await fill('routine')).toBe(false);
    expect(await fill('check')).toBe(true);
    expect(await fill('check')).toBe(false);
    jest.advanceTimersByTime(501);
    expect(await fill('check')).toBe(true);
    expect(buckets.asked).toHaveLength(3);
  });

  it('are kept longer where the next one is far', async () => {
    hand = new OperatorTokenPool('ie-registry', { perSecond: 0.001, burst: 10, concurrency: 1 }, buckets);
    await fill();
    jest.advanceTimersByTime(9_000);
    expect(hand.hasToken()).toBe(true);
    jest.advanceTimersByTime(1_001);
    expect(hand.hasToken()).toBe(false);
  });

  it('are always there where no rate is set, without asking the store', async () => {
    hand = new OperatorTokenPool('lab', { perSecond: 0, burst: 1, concurrency: 1 }, buckets);
    hand.consume();
    expect(hand.hasToken()).toBe(true);
    expect(await hand.reserve(1_000, 'routine')).toBe(1_000);
    expect(buckets.asked).toEqual([]);
  });
});
