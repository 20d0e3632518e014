import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AccountLines, type Permit } from '../../../../src/platform/concurrency/account-lines.js';

const LIMITS = { active: 4, activePerAccount: 2, waitingPerAccount: 3, waitMs: 5_000 };

let lines: AccountLines;
let order: string[];
let working: Permit[];
beforeEach(() => {
  void jest.useFakeTimers();
  lines = new AccountLines(LIMITS);
  [order, working] = [[], []];
});
afterEach(() => void jest.useRealTimers());

const settled = () => jest.advanceTimersByTimeAsync(0);
/** Notes who is admitted, in order. */
const enter = async (account: string, onLeave?: (leave: () => void) => void) => {
  const permit = await lines.enter(account, onLeave);
  if (permit) order.push(account);
  if (permit) working.push(permit);
  return permit;
};
/** Requests that begin or wait; a refusal is seen by the test that expects one. */
const arrive = async (...accounts: string[]) => {
  for (const account of accounts) enter(account).catch(() => undefined);
  await settled();
};
const refusal = (code: string) => expect.objectContaining({ code, details: { retry_after_seconds: 1 } });

describe('the request queues of accounts', () => {
  it('report activity for one second after a request, even if the request did not queue', () => {
    expect(lines.wasRecentlyActive).toBe(false);
    lines.recordActivity();
    expect(lines.wasRecentlyActive).toBe(true);
    jest.advanceTimersByTime(1_000);
    expect(lines.wasRecentlyActive).toBe(false);
  });

  it('start requests below the limit of their account at once, even if another account is busy', async () => {
    await arrive('busy', 'busy', 'busy', 'busy', 'busy', 'quiet', 'quiet');
    expect(order).toEqual(['busy', 'busy', 'quiet', 'quiet']);
    expect(lines.activeCount).toBe(4);
  });

  it('refuse a request at once if the queue of its account is full', async () => {
    await arrive('busy', 'busy', 'busy', 'busy', 'busy');
    await expect(enter('busy')).rejects.toEqual(refusal('too_many_concurrent_requests'));
    await arrive('quiet');
    expect(order).toEqual(['busy', 'busy', 'quiet']);
  });

  it('remove a waiting request when its client disconnects, and never start that request', async () => {
    await arrive('busy', 'busy');
    const leaves: (() => void)[] = [];
    const places = [1, 2, 3].map(() => enter('busy', (leave) => leaves.push(leave)));
    leaves[0]?.();
    expect(await places[0]).toBeNull();
    await arrive('busy'); // there is room again
    working[0]?.release();
    await settled();
    expect(await places[1]).not.toBeNull();
    leaves[1]?.(); // too late: it was admitted
    leaves[2]?.();
    await jest.advanceTimersByTimeAsync(LIMITS.waitMs);
    expect(lines.activeCount).toBe(2);
  });

  it('refuse a request that waited too long, and then have room for another request', async () => {
    await arrive('busy', 'busy');
    const refused = expect(enter('busy')).rejects.toEqual(refusal('too_many_concurrent_requests'));
    await jest.advanceTimersByTimeAsync(LIMITS.waitMs);
    await refused;
    working[0]?.release();
    await arrive('busy');
    expect(order).toHaveLength(3);
  });

  it('refuse a request as "overloaded" if it waited too long although its account was below its limit', async () => {
    await arrive('a', 'a', 'b', 'b');
    const refused = expect(enter('quiet')).rejects.toEqual(refusal('overloaded'));
    await jest.advanceTimersByTimeAsync(LIMITS.waitMs);
    await refused;
    for (const permit of working) permit.release();
    await arrive('quiet', 'quiet');
    expect(order.slice(4)).toEqual(['quiet', 'quiet']);
  });

  it('serve accounts in turn, however long the queue of one account is', async () => {
    await arrive('a', 'a', 'b', 'b', 'a', 'a', 'a', 'c', 'd');
    for (const permit of [...working]) permit.release();
    await settled();
    expect(order.slice(4)).toEqual(['c', 'd', 'a', 'a']);
    expect(lines.activeCount).toBe(4);
  });

  it('start a request of another account when work finishes, and of the same account after release', async () => {
    await arrive('a', 'a', 'b', 'b', 'a', 'c');
    working[0]?.finishWork();
    await settled();
    expect(order.slice(4)).toEqual(['c']);
    working[0]?.release();
    working[0]?.release(); // twice is once
    await settled();
    expect([order.slice(4), lines.activeCount]).toEqual([['c'], 4]);
    working[1]?.release();
    await settled();
    expect([order.slice(4), lines.activeCount]).toEqual([['c', 'a'], 4]);
  });

  it('keep exactly as many requests running as the limit allows, as long as requests wait', async () => {
    await arrive(...Array.from({ length: 40 }, (_, n) => `account ${n % 13}`));
    let done = 0;
    for (; working.length > 0; done += 1) {
      expect(lines.activeCount).toBe(Math.min(LIMITS.active, 40 - done));
      working.shift()?.release();
      await settled();
    }
    expect(done).toBe(40);
  });
});
