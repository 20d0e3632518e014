import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../../../src/kernel/unit-of-work.js';
import { ResultWriteLimiter } from '../../../../src/watchlist/checks/record-check-results.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await nextTurn();
};

describe('writing check results', () => {
  const recordings = () => new ResultWriteLimiter({ databasePool: 2, leaseSeconds: 60 });
  const away = () => Promise.reject(new DatabaseUnavailable('no connection', null));
  const elapse = async (milliseconds: number) => {
    for (let waited = 0; waited < milliseconds; waited += 250) {
      await jest.advanceTimersByTimeAsync(250);
      await turns(3);
    }
  };

  it('is written when there is a connection again', async () => {
    let isAway = true;
    const written = recordings().run(() => (isAway ? away() : Promise.resolve('written')));
    await elapse(5_000);
    isAway = false;
    await elapse(500);
    expect(await written).toBe('written');
  });

  it('is given up when half a lease is over, or the database refuses it', async () => {
    const all = recordings();
    const failed = expect(all.run(away)).rejects.toThrow('no connection');
    await elapse(31_000);
    await failed;
    await expect(all.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('waits for its place, a few at a time, whatever becomes of the others', async () => {
    const all = recordings();
    let [most, underWay] = [0, 0];
    const write = async () => {
      most = Math.max(most, (underWay += 1));
      await nextTurn();
      underWay -= 1;
      if (most > 5) throw new Error('never');
    };
    const ended = Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => all.run(() => (n === 3 ? Promise.reject(new Error('no')) : write()))),
    );
    await turns(200);
    expect((await ended).filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    expect(most).toBe(2);
  });
});
