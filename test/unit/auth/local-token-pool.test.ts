import { describe, expect, it } from '@jest/globals';
import { LocalTokenPool } from '../../../src/auth/domain/local-token-pool.js';

/** A store of our own with a minute that ends at 60 000. */
class Minute {
  used = 0;

  constructor(readonly limit: number) {}

  fill(allowance: LocalTokenPool, now: number, waiting = 1): number {
    const block = allowance.nextBlock(waiting, now);
    const tokens = Math.min(block, this.limit - this.used);
    this.used += tokens;
    allowance.replenish({ tokens, remaining: this.limit - this.used, resetMs: 60_000 - now }, now);
    return block;
  }
}

describe('the requests of an account that a process has in hand', () => {
  it('last about a second, and twice as many when they were used up sooner, up to a tenth', () => {
    const [minute, allowance] = [new Minute(600), new LocalTokenPool(600)];
    const blocks = Array.from({ length: 5 }, (_, i) => minute.fill(allowance, i * 100));
    expect(blocks).toEqual([10, 20, 40, 60, 60]);
    expect(minute.fill(allowance, 20_000)).toBe(60);
  });

  it('suffice for all who wait', () => {
    expect(new Minute(600).fill(new LocalTokenPool(600), 0, 45)).toBe(45);
    expect(new Minute(60).fill(new LocalTokenPool(60), 0, 100)).toBe(60);
  });

  it('stay good until the minute is over, and no longer', () => {
    const [minute, allowance] = [new Minute(600), new LocalTokenPool(600)];
    minute.fill(allowance, 0);
    expect(allowance.trySpend(59_999)).toBe(true);
    expect(allowance.trySpend(60_000)).toBe(false);
  });

  it('are not carried over into the next minute', () => {
    const allowance = new LocalTokenPool(600);
    allowance.replenish({ tokens: 10, remaining: 590, resetMs: 100 }, 0);
    allowance.replenish({ tokens: 10, remaining: 590, resetMs: 60_000 }, 99);
    expect(allowance.status(true, 99)).toMatchObject({ remaining: 600, resetSeconds: 60 });
  });

  it('are never more than the limit, however they are spent', () => {
    const [minute, allowance] = [new Minute(60), new LocalTokenPool(60)];
    let spent = 0;
    for (let now = 0; now < 60_000 && !allowance.isExhausted(now); now += 10) {
      if (allowance.trySpend(now)) spent += 1;
      else minute.fill(allowance, now);
    }
    expect(spent).toBe(60);
    expect(allowance.status(false, 1_000)).toEqual({ admitted: false, limit: 60, remaining: 0, resetSeconds: 59 });
  });

  it('run low before they run out', () => {
    const [minute, allowance] = [new Minute(600), new LocalTokenPool(600)];
    minute.fill(allowance, 0);
    expect(allowance.isLow(1)).toBe(false);
    for (let i = 0; i < 5; i++) allowance.trySpend(1);
    expect(allowance.isLow(1)).toBe(true);
  });
});
