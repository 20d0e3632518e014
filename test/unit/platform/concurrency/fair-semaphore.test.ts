import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairSemaphore, Permit, type Place } from '../../../../src/platform/concurrency/fair-semaphore.js';

const LIMITS = {
  maxActive: 4,
  maxActivePerAccount: 2,
  waitTimeoutMs: 5_000,
  maxWaitingPerAccount: { requests: 3, bodyBytes: 100 },
  maxWaiting: { requests: 40, bodyBytes: 150 },
};

let line: FairSemaphore;
beforeEach(() => {
  void jest.useFakeTimers();
  line = new FairSemaphore(LIMITS);
});
afterEach(() => void jest.useRealTimers());

const admitted = (account: string): Permit => {
  const permit = line.enter(account);
  if (!(permit instanceof Permit)) throw new Error(`${account} has to wait`);
  return permit;
};
const takesAPlace = (account: string, bodyBytes = 0): Place => {
  const place = line.enter(account, bodyBytes);
  if (place instanceof Permit) throw new Error(`${account} does not have to wait`);
  place.permit.catch(() => undefined); // seen by whoever asks for it
  return place;
};
/** Notes who is admitted, in order. */
const waits = async (account: string, order: string[] = []) => {
  const permit = await takesAPlace(account).permit;
  order.push(account);
  return permit;
};
const refusal = (code: string) => expect.objectContaining({ code, details: { retry_after_seconds: 1 } });
const settled = () => jest.advanceTimersByTimeAsync(0);

describe('the fair semaphore', () => {
  it('counts a request without a permit as activity of the last second', () => {
    expect(line.wasRecentlyActive).toBe(false);
    line.recordActivity();
    expect(line.wasRecentlyActive).toBe(true);
    jest.advanceTimersByTime(1_000);
    expect(line.wasRecentlyActive).toBe(false);
  });

  it('admits requests within the limit of their account at once, whatever other accounts do', () => {
    for (let n = 0; n < LIMITS.maxActivePerAccount; n += 1) admitted('busy');
    for (let n = 0; n < LIMITS.maxWaitingPerAccount.requests; n += 1) takesAPlace('busy');
    admitted('quiet');
    admitted('quiet');
    expect(line.activeCount).toBe(4);
  });

  it('refuses at once when the queue of the account is full', () => {
    admitted('busy');
    admitted('busy');
    for (let n = 0; n < LIMITS.maxWaitingPerAccount.requests; n += 1) takesAPlace('busy');
    expect(() => line.enter('busy')).toThrow(refusal('too_many_concurrent_requests'));
    expect(admitted('quiet')).toBeInstanceOf(Permit);
  });

  it('lets no account keep more than so many bytes of bodies waiting, and none is too large to wait alone', () => {
    admitted('busy');
    admitted('busy');
    takesAPlace('busy', 101);
    expect(() => line.enter('busy', 1)).toThrow(refusal('too_many_concurrent_requests'));
  });

  it('forgets a client who leaves the line, who gets no permit', async () => {
    const [first] = [admitted('busy'), admitted('busy')];
    const places = [1, 2, 3].map(() => takesAPlace('busy', 30));
    places[1]?.leave();
    expect(await places[1]?.permit).toBeNull();
    const late = takesAPlace('busy', 40);
    places[0]?.leave();
    first?.release();
    expect(await places[2]?.permit).toBeInstanceOf(Permit);
    late.leave();
    places[2]?.leave(); // too late: it was admitted
    await jest.advanceTimersByTimeAsync(LIMITS.waitTimeoutMs);
    expect(line.activeCount).toBe(2);
  });

  it('refuses a waiter after its timeout, and then has room for another', async () => {
    const first = admitted('busy');
    admitted('busy');
    const refused = expect(waits('busy')).rejects.toEqual(refusal('too_many_concurrent_requests'));
    await jest.advanceTimersByTimeAsync(LIMITS.waitTimeoutMs);
    await refused;
    first.release();
    admitted('busy');
  });

  it('says that the process is overloaded to a waiter whose account had slots left', async () => {
    for (const account of ['a', 'a', 'b', 'b']) admitted(account);
    const refused = expect(waits('quiet')).rejects.toEqual(refusal('overloaded'));
    await jest.advanceTimersByTimeAsync(LIMITS.waitTimeoutMs);
    await refused;
  });

  it('admits waiters round-robin by account', async () => {
    const working = [admitted('a'), admitted('a'), admitted('b'), admitted('b')];
    const order: string[] = [];
    for (const account of ['a', 'a', 'a', 'b', 'c']) void waits(account, order);
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
      const entered = line.enter(account);
      if (entered instanceof Permit) working.push(entered);
      else void entered.permit.then((permit) => permit && working.push(permit) && order.push(account));
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

describe('the lines of a process that are full', () => {
  const fill = (bodyBytes: number) => {
    for (const account of ['a', 'b']) for (let n = 0; n < LIMITS.maxActivePerAccount; n += 1) admitted(account);
    return ['a', 'a', 'a', 'b'].map((account) => takesAPlace(account, bodyBytes));
  };
  beforeEach(() => {
    line = new FairSemaphore({ ...LIMITS, maxWaiting: { requests: 4, bodyBytes: 120 } });
  });

  it.each([
    ['requests', 0],
    ['bytes of bodies', 30],
  ])('give the place of the last of the longest to an account that has few there, by their %s', async (_, bytes) => {
    const [first, , last] = fill(bytes);
    const [place] = [takesAPlace('c', bytes)];
    await expect(last?.permit).rejects.toEqual(refusal('overloaded'));
    first?.leave();
    place.leave();
    expect(await Promise.all([first?.permit, place.permit])).toEqual([null, null]);
  });

  it('refuse an account that would have as many there as any other', () => {
    fill(0);
    takesAPlace('c');
    expect(() => line.enter('b')).toThrow(refusal('overloaded'));
    expect(() => line.enter('a')).toThrow(refusal('overloaded'));
  });
});
