import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../../../src/kernel/unit-of-work.js';
import { retryWhileUnavailable } from '../../../../src/watchlist/checks/record-check-results.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const turns = async (count: number) => {
  for (let n = 0; n < count; n += 1) await nextTurn();
};

describe('writing check results', () => {
  const write = <Result>(work: () => Promise<Result>) => retryWhileUnavailable(performance.now() + 30_000, work);
  const away = () => Promise.reject(new DatabaseUnavailable('no connection', null));
  const elapse = async (milliseconds: number) => {
    for (let waited = 0; waited < milliseconds; waited += 250) {
      await jest.advanceTimersByTimeAsync(250);
      await turns(3);
    }
  };

  it('is repeated until the database connection is back', async () => {
    let isAway = true;
    const written = write(() => (isAway ? away() : Promise.resolve('written')));
    await elapse(5_000);
    isAway = false;
    await elapse(500);
    expect(await written).toBe('written');
  });

  it('fails after 30 seconds without a connection, or at once on any other error', async () => {
    const failed = expect(write(away)).rejects.toThrow('no connection');
    await elapse(31_000);
    await failed;
    await expect(write(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });
});
