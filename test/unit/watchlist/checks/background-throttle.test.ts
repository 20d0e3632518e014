import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { AccountLines } from '../../../../src/platform/concurrency/account-lines.js';
import { BackgroundThrottle } from '../../../../src/watchlist/checks/background-throttle.js';

let requests: AccountLines;
let pace: BackgroundThrottle;
beforeEach(() => {
  void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  requests = new AccountLines({ active: 4, activePerAccount: 4, waitingPerAccount: 4, waitMs: 1_000 });
  pace = new BackgroundThrottle(requests, TimeUnits.REAL);
});
afterEach(() => void jest.useRealTimers());

const request = async () => {
  const permit = await requests.enter('acc_1');
  if (!permit) throw new Error('a request has left');
  return permit;
};
const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await nextTurn();
};

describe('background work', () => {
  const begin = (count: number) => {
    const seen = { begun: 0 };
    for (let n = 0; n < count; n += 1) void pace.waitForTurn().then(() => (seen.begun += 1));
    return seen;
  };

  it('begins in small portions, not all at once, even without requests', async () => {
    const seen = begin(100);
    await turns(2);
    expect(seen.begun).toBeGreaterThan(0);
    expect(seen.begun).toBeLessThan(50);
    await turns(40);
    expect(seen.begun).toBe(100);
  });

  it('begins slowly for a second after a request, and then at full speed', async () => {
    (await request()).release();
    const seen = begin(100);
    await turns(5);
    expect(seen.begun).toBe(0);
    await jest.advanceTimersByTimeAsync(25);
    await turns(5);
    expect(seen.begun).toBe(8);
    await jest.advanceTimersByTimeAsync(1_000);
    await turns(40);
    expect(seen.begun).toBe(100);
  });

  it('runs one batch at a time while a request is active, and several at once otherwise', async () => {
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const batch = (n: number) => () => {
      begun.push(n);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const permit = await request();
    for (const n of [1, 2]) void pace.runBatch(batch(n));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual([1]);
    ends[0]?.();
    await jest.advanceTimersByTimeAsync(25);
    expect(begun).toEqual([1, 2]);
    void pace.runBatch(batch(3));
    permit.release();
    await jest.advanceTimersByTimeAsync(1_100);
    expect(begun).toEqual([1, 2, 3]);
  });

  it('begins at least 400 tasks a second even while a request is always active', async () => {
    await request();
    const seen = begin(1_000);
    for (let waited = 0; waited < 1_000; waited += 20) {
      await jest.advanceTimersByTimeAsync(20);
      await turns(2);
    }
    expect(seen.begun).toBeGreaterThanOrEqual(400);
    expect(seen.begun).toBeLessThan(1_000);
  });
});
