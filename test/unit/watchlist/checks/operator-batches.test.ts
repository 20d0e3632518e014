import { describe, expect, it } from '@jest/globals';
import { OperatorBatches } from '../../../../src/watchlist/checks/operator-batches.js';

describe('batches of leased names', () => {
  it('wait for others of their operator, in the order in which they came', async () => {
    const checks = new Checks();
    const ends = [...['first', 'second', 'third', 'fourth'].map((one) => checks.start(one, 'a', 200))];
    await checks.settled();
    expect(checks.started).toEqual(['first', 'second']);
    checks.end('second');
    await ends[1];
    await checks.settled();
    expect(checks.started).toEqual(['first', 'second', 'third']);
    checks.end('first');
    await ends[0];
    await checks.settled();
    expect(checks.started).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('do not wait for those of other operators', async () => {
    const checks = new Checks();
    for (const operator of ['a', 'b', 'c']) void checks.start(operator, operator, 400);
    await checks.settled();
    expect(checks.started).toEqual(['a', 'b', 'c']);
  });

  it('make room with each name that ended, not with the slowest of a batch', async () => {
    const checks = new Checks();
    void checks.start('first', 'a', 400);
    void checks.start('second', 'a', 100);
    checks.endNames('first', 99);
    await checks.settled();
    expect(checks.started).toEqual(['first']);
    checks.endNames('first', 1);
    await checks.settled();
    expect(checks.started).toEqual(['first', 'second']);
  });

  it('do not wait when one of their names is in its drop window', async () => {
    const checks = new Checks({ urgent: 'dropping' });
    for (const one of ['first', 'routine', 'dropping']) void checks.start(one, 'a', 400);
    await checks.settled();
    expect(checks.started).toEqual(['first', 'dropping']);
  });

  it('start when others end while they are asked how urgent they are', async () => {
    const checks = new Checks();
    const first = checks.start('first', 'a', 400);
    void checks.start('second', 'a', 400);
    checks.end('first');
    await first;
    await checks.settled();
    expect(checks.started).toEqual(['first', 'second']);
  });

  it('run alone where one is larger than the limit', async () => {
    const checks = new Checks();
    const first = checks.start('first', 'a', 1);
    void checks.start('large', 'a', 1_000);
    void checks.start('last', 'a', 1);
    await checks.settled();
    expect(checks.started).toEqual(['first']);
    checks.end('first');
    await first;
    await checks.settled();
    expect(checks.started).toEqual(['first', 'large']);
  });

  it('make room for the next when they fail', async () => {
    const checks = new Checks();
    const failed = checks.start('failing', 'a', 400);
    void checks.start('next', 'a', 400);
    checks.fail('failing');
    await expect(failed).rejects.toThrow('failing');
    await checks.settled();
    expect(checks.started).toEqual(['failing', 'next']);
  });
});

class Checks {
  readonly started: string[] = [];
  private readonly batches: OperatorBatches;
  private readonly running = new Map<string, PromiseWithResolvers<void>>();
  private readonly nameEnded = new Map<string, () => void>();

  constructor({ urgent = '' } = {}) {
    this.batches = new OperatorBatches(({ token }) => Promise.resolve(token === urgent));
  }

  start(what: string, operator: string, size: number): Promise<void> {
    const names = Array.from({ length: size }, (_, nth) => `${what}-${nth}.example`);
    return this.batches.run({ operator, token: what, names }, (nameEnded) => {
      this.started.push(what);
      this.nameEnded.set(what, nameEnded);
      const check = Promise.withResolvers<void>();
      this.running.set(what, check);
      return check.promise;
    });
  }

  end(what: string): void {
    this.running.get(what)?.resolve();
  }

  endNames(what: string, names: number): void {
    for (let nth = 0; nth < names; nth += 1) this.nameEnded.get(what)?.();
  }

  /** The answers to how urgent batches are have arrived. */
  settled(): Promise<void> {
    return new Promise(setImmediate);
  }

  fail(what: string): void {
    this.running.get(what)?.reject(new Error(what));
  }
}
