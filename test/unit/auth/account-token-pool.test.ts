import { describe, expect, it } from '@jest/globals';
import { AccountTokenPool } from '../../../src/auth/authentication/request-limiter.js';

/** A store of our own with a minute that ends at 60 000. */
class Minute {
  used = 0;

  constructor(readonly limit: number) {}

  fetch(pool: AccountTokenPool, now: number, waiting = 1): number {
    const block = pool.nextBlockSize(waiting, now);
    const tokens = Math.min(block, this.limit - this.used);
    this.used += tokens;
    pool.replenish({ tokens, remaining: this.limit - this.used, waitMs: 60_000 - now }, now);
    return block;
  }
}

describe('the requests of an account that a process has in hand', () => {
  it('last about a second, and twice as many when they were used up sooner, up to a tenth', () => {
    const [minute, pool] = [new Minute(600), new AccountTokenPool(600)];
    const blocks = Array.from({ length: 5 }, (_, i) => minute.fetch(pool, i * 100));
    expect(blocks).toEqual([10, 20, 40, 60, 60]);
    expect(minute.fetch(pool, 20_000)).toBe(60);
  });

  it('suffice for all who wait', () => {
    expect(new Minute(600).fetch(new AccountTokenPool(600), 0, 45)).toBe(45);
    expect(new Minute(60).fetch(new AccountTokenPool(60), 0, 100)).toBe(60);
  });

  it('stay good until the minute is over, and no longer', () => {
    const [minute, pool] = [new Minute(600), new AccountTokenPool(600)];
    minute.fetch(pool, 0);
    expect(pool.tryTake(59_999)).toBe(true);
    expect(pool.tryTake(60_000)).toBe(false);
  });

  it('are not carried over into the next minute', () => {
    const pool = new AccountTokenPool(600);
    pool.replenish({ tokens: 10, remaining: 590, waitMs: 100 }, 0);
    pool.replenish({ tokens: 10, remaining: 590, waitMs: 60_000 }, 99);
    expect(pool.status(true, 99)).toMatchObject({ remaining: 600, resetSeconds: 60 });
  });

  it('are never more than the limit, however they are spent', () => {
    const [minute, pool] = [new Minute(60), new AccountTokenPool(60)];
    let spent = 0;
    for (let now = 0; now < 60_000 && !pool.isExhausted(now); now += 10) {
      if (pool.tryTake(now)) spent += 1;
      else minute.fetch(pool, now);
    }
    expect(spent).toBe(60);
    expect(pool.status(false, 1_000)).toEqual({ admitted: false, limit: 60, remaining: 0, resetSeconds: 59 });
  });

  it('run low before they run out', () => {
    const [minute, pool] = [new Minute(600), new AccountTokenPool(600)];
    minute.fetch(pool, 0);
    expect(pool.isLow(1)).toBe(false);
    for (let i = 0; i < 5; i++) pool.tryTake(1);
    expect(pool.isLow(1)).toBe(true);
  });
});
