import { describe, expect, it } from '@jest/globals';
import { Batcher } from '../../../../src/platform/concurrency/batcher.js';

/** Work that is done when the test says so. */
function heldWork() {
  const done: string[][] = [];
  const holds: PromiseWithResolvers<void>[] = [];
  const work = async (requests: readonly string[]) => {
    done.push([...requests]);
    const hold = Promise.withResolvers<void>();
    holds.push(hold);
    await hold.promise;
    return requests.map((request) => request.toUpperCase());
  };
  const next = async () => {
    while (holds.length === 0) await new Promise(setImmediate);
    holds.shift()?.resolve();
  };
  return { done, work, next };
}

describe('requests in batches', () => {
  it('run together when they arrive together; later ones run in the next batch', async () => {
    const { done, work, next } = heldWork();
    const batches = new Batcher(work);
    const first = ['a', 'b'].map((request) => batches.submit(request));
    while (done.length === 0) await new Promise(setImmediate);
    const later = ['c', 'd'].map((request) => batches.submit(request));
    await next();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await next();
    expect(await Promise.all(later)).toEqual(['C', 'D']);
    expect(done).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await batches.whenIdle();
  });

  it('run while the previous batch is still running, if the concurrency limit allows that', async () => {
    const { done, work, next } = heldWork();
    const batches = new Batcher(work, { concurrency: 2 });
    const asked = [];
    for (const request of ['a', 'b']) {
      asked.push(batches.submit(request));
      while (done.length < asked.length) await new Promise(setImmediate);
    }
    asked.push(batches.submit('c'), batches.submit('d'));
    for (let batch = 0; batch < 3; batch += 1) await next();
    expect(await Promise.all(asked)).toEqual(['A', 'B', 'C', 'D']);
    expect(done).toEqual([['a'], ['b'], ['c', 'd']]);
    await batches.whenIdle();
  });

  it('all fail if their batch fails, without affecting the next batch', async () => {
    let fails = true;
    const batches = new Batcher<string, string>((requests) => {
      if (fails) throw new Error('the database is unavailable');
      return Promise.resolve([...requests]);
    });
    const outcomes = await Promise.allSettled([batches.submit('a'), batches.submit('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await batches.submit('c')).toBe('c');
  });

  it('fail instead of waiting forever if the batch returns no result for them', async () => {
    const batches = new Batcher<string, string>((requests) => Promise.resolve(requests.slice(1)));
    const outcomes = await Promise.allSettled([batches.submit('a'), batches.submit('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('are split into batches of at most 500', async () => {
    const sizes: number[] = [];
    const batches = new Batcher<number, number>((requests) => {
      sizes.push(requests.length);
      return Promise.resolve([...requests]);
    });
    await Promise.all(Array.from({ length: 1_200 }, (_, i) => batches.submit(i)));
    expect(sizes).toEqual([500, 500, 200]);
  });

  it('are collected for the whole configured time window before they run', async () => {
    const done: number[] = [];
    const batches = new Batcher(
      (requests: readonly string[]) => {
        done.push(requests.length);
        return Promise.resolve(requests);
      },
      { windowMs: 50 },
    );
    const asked = [batches.submit('a')];
    await new Promise(setImmediate);
    asked.push(batches.submit('b'));
    expect(await Promise.all(asked)).toEqual(['a', 'b']);
    expect(done).toEqual([2]);
  });
});

describe('requests in batches that isolate failures', () => {
  /** Fails for `bad`, in whatever batch; finds `locked` only when it is asked for alone. */
  const work = (done: string[][]) => (requests: readonly string[]) => {
    done.push([...requests]);
    if (requests.includes('bad')) throw new Error('a bad row');
    return Promise.resolve(requests.map((one) => (one === 'locked' && requests.length > 1 ? undefined : one)));
  };

  it('run again one by one after a failure, so that only the bad request fails', async () => {
    const done: string[][] = [];
    const batches = new Batcher(work(done), { isolates: true });
    const ended = await Promise.allSettled(['a', 'bad', 'b'].map((one) => batches.submit(one)));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('run again alone if they got no result, and return undefined if there is still none', async () => {
    const done: string[][] = [];
    const batches = new Batcher(work(done), { isolates: true });
    expect(await Promise.all(['a', 'locked'].map((one) => batches.submit(one)))).toEqual(['a', 'locked']);
    expect(done).toEqual([['a', 'locked'], ['locked']]);
    const none = new Batcher(() => Promise.resolve([undefined]), { isolates: true });
    expect(await none.submit('a')).toBeUndefined();
  });

  it('do not wait for a slow request that runs alone', async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const batches = new Batcher<string, string>(
      async (requests) => {
        begun.resolve();
        if (requests[0] === 'slow') await held.promise;
        return [...requests];
      },
      { isolates: true },
    );
    const slow = batches.submit('slow');
    await begun.promise;
    expect(await batches.submit('quick')).toBe('quick');
    held.resolve();
    expect(await slow).toBe('slow');
  });
});
