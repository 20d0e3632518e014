import { jest } from '@jest/globals';

/** Does the work as if so much more time had passed since this process started. Its timers do not notice. */
export async function afterWaiting<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const now = performance.now.bind(performance);
  const spy = jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
