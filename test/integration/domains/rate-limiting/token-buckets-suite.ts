import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { TokenBuckets } from '../../../../src/domains/rate-limiting/operator-tokens.js';

export interface TestStore {
  /** Makes the buckets of another process. */
  readonly buckets: () => TokenBuckets;
  /** Makes the buckets of a process that cannot reach the store. */
  readonly unreachable: () => TokenBuckets;
  readonly close: () => Promise<void>;
}

/** The rules of a token bucket, in any store. */
export function bucketsIn(what: string, open: () => Promise<TestStore>): void {
  describe(`a token bucket in ${what}`, () => {
    let store: TestStore;
    let one: TokenBuckets;
    let other: TokenBuckets;
    beforeAll(async () => {
      store = await open();
      [one, other] = [store.buckets(), store.buckets()];
    });
    afterAll(() => store.close());

    const slow = { perSecond: 0.01, burst: 5, concurrency: 1 };

    it('grants a burst at once, then says when the next token is available', async () => {
      const operator = randomUUID();
      expect(await one.take(operator, slow, 5, 'check')).toEqual({ tokens: 5, waitMs: 0 });
      const next = await one.take(operator, slow, 1, 'check');
      expect(next.tokens).toBe(0);
      expect(next.waitMs).toBeGreaterThan(95_000);
      expect(next.waitMs).toBeLessThanOrEqual(100_000);
    });

    it('is shared by all processes, and grants a part when the rest is used up', async () => {
      const operator = randomUUID();
      expect(await one.take(operator, slow, 3, 'check')).toMatchObject({ tokens: 3 });
      expect(await other.take(operator, slow, 4, 'drop_window')).toMatchObject({ tokens: 2 });
      expect(await one.take(operator, slow, 1, 'check')).toMatchObject({ tokens: 0 });
    });

    it('is not charged for rejected requests', async () => {
      const [operator, fast] = [randomUUID(), { perSecond: 20, burst: 2, concurrency: 1 }];
      await one.take(operator, fast, 2, 'check');
      const rejected = await Promise.all(Array.from({ length: 20 }, () => one.take(operator, fast, 5, 'check')));
      const { waitMs } = rejected.at(-1) ?? { waitMs: Infinity };
      expect(waitMs).toBeLessThanOrEqual(50);
    });

    it('reserves a fifth of the burst for people’s checks', async () => {
      const operator = randomUUID();
      expect(await one.take(operator, slow, 5, 'routine')).toMatchObject({ tokens: 4 });
      expect(await other.take(operator, slow, 5, 'check')).toMatchObject({ tokens: 1 });
    });

    it('never exceeds burst and rate, with two processes for two seconds', async () => {
      const [operator, budget] = [randomUUID(), { perSecond: 50, burst: 10, concurrency: 1 }];
      const began = performance.now();
      let granted = 0;
      const greedy = async (process: TokenBuckets) => {
        while (performance.now() - began < 2_000) {
          const { tokens, waitMs } = await process.take(operator, budget, 7, 'check');
          granted += tokens;
          await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 10)));
        }
      };
      await Promise.all([greedy(one), greedy(other), greedy(other)]);
      const seconds = (performance.now() - began) / 1_000;
      expect(granted).toBeLessThanOrEqual(10 + 50 * seconds + 1);
      expect(granted).toBeGreaterThan(10);
    });

    it('grants a tenth without the store', async () => {
      const alone = store.unreachable();
      const [operator, budget] = [randomUUID(), { perSecond: 20, burst: 40, concurrency: 1 }];
      expect(await alone.take(operator, budget, 40, 'check')).toMatchObject({ tokens: 2 });
      expect(await alone.take(randomUUID(), slow, 5, 'check')).toMatchObject({ tokens: 1 });
    });
  });
}
