import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairSemaphore, Permit } from '../../../../src/platform/concurrency/fair-semaphore.js';

const LIMITS = { maxActive: 4, maxActivePerAccount: 2, maxWaitingPerAccount: 3, waitTimeoutMs: 2_000 };

let line: FairSemaphore;
beforeEach(() => {
  void jest.useFakeTimers();
  line = new FairSemaphore(LIMITS);
});
afterEach(() => void jest.useRealTimers());

const admitted = (account: string): Permit => {
  const permit = line.acquire(account);
  if (!(permit instanceof Permit)) throw new Error(`${account} has to wait`);
  return permit;
};
/** Notes who is admitted, in order. */
const waits = (account: string, order: string[] = []) => {
  const permit = line.acquire(account);
  if (permit instanceof Permit) throw new Error(`${account} does not have to wait`);
  return permit.then((one) => {
    order.push(account);
    return one;
  });
};
const settled = () => jest.advanceTimersByTimeAsync(0);

describe('the fair semaphore', () => {
  it('counts a request without a permit as activity of the last second', () => {
    expect(line.wasRecentlyActive).toBe(false);
    line.recordActivity();
    expect(line).toMatchObject({ wasRecentlyActive: true, hasActiveRequests: false });
    jest.advanceTimersByTime(1_000);
    expect(line.wasRecentlyActive).toBe(false);
  });

  it('admits requests within the limit of their account at once, whatever other accounts do', () => {
    for (let n = 0; n < LIMITS.maxActivePerAccount; n += 1) admitted('busy');
    for (let n = 0; n < LIMITS.maxWaitingPerAccount; n += 1) void waits('busy').catch(() => undefined);
    admitted('quiet');
    admitted('quiet');
    expect(line.activeCount).toBe(4);
  });

  it('refuses at once when the queue of the account is full', () => {
    admitted('busy');
    admitted('busy');
    for (let n = 0; n < LIMITS.maxWaitingPerAccount; n += 1) void waits('busy').catch(() => undefined);
    expect(() => line.acquire('busy')).toThrow(
      expect.objectContaining({ code: 'overloaded', details: { retry_after_seconds: 1 } }),
    );
  });

  it('refuses a waiter after its timeout, and then has room for another', async () => {
    const first = admitted('busy');
    admitted('busy');
    const refused = expect(waits('busy')).rejects.toMatchObject({ code: 'overloaded' });
    await jest.advanceTimersByTimeAsync(LIMITS.waitTimeoutMs);
    await refused;
    first.release();
    admitted('busy');
  });

  it('admits waiters round-robin by account', async () => {
    const working = [admitted('a'), admitted('a'), admitted('b'), admitted('b')];
    const order: string[] = [];
    for (const account of ['a', 'a', 'a', 'b', 'c']) void waits(account, order).catch(() => undefined);
    for (const permit of working) permit.release();
    await settled();
    expect(order).toEqual(['a', 'c', 'b', 'a']);
    expect(line.activeCount).toBe(4);
  });

  it('frees capacity when the work is done, and the account slot on release', async () => {
    const [first] = [admitted('a'), admitted('a'), admitted('b'), admitted('b')];
    const order: string[] = [];
    void waits('a', order);
    void waits('c', order);
    first?.finishWork();
    await settled();
    expect(order).toEqual(['c']);
    first?.release();
    first?.release(); // twice is once
    await settled();
    expect([order, line.activeCount]).toEqual([['c'], 4]);
  });

  it('never admits more than its limit, nor fewer than possible', async () => {
    const working: Permit[] = [];
    let most = 0;
    const order: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const account = `account ${n % 13}`;
      const entering = line.acquire(account);
      if (entering instanceof Permit) working.push(entering);
      else void entering.then((permit) => working.push(permit) && order.push(account));
      most = Math.max(most, line.activeCount);
    }
    expect(most).toBe(LIMITS.maxActive);
    while (working.length > 0) {
      working.shift()?.release();
      await settled();
      expect(line.activeCount).toBe(working.length);
    }
    expect(order).toHaveLength(36);
  });
});
