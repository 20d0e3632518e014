import { describe, expect, it } from '@jest/globals';
import { OperatorBatches } from '../../../../src/watchlist/application/checks/operator-batches.js';

describe('batches of leased names', () => {
  it('wait for others of their operator, in the order in which they came', async () => {
    const checks = new Checks();
    const ends = [...['first', 'second', 'third', 'fourth'].map((one) => checks.start(one, 'a', 200))];
    expect(checks.started).toEqual(['first', 'second']);
    checks.end('second');
    await ends[1];
    expect(checks.started).toEqual(['first', 'second', 'third']);
    checks.end('first');
    await ends[0];
    expect(checks.started).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('do not wait for those of other operators', () => {
    const checks = new Checks();
    for (const operator of ['a', 'b', 'c']) void checks.start(operator, operator, 400);
    expect(checks.started).toEqual(['a', 'b', 'c']);
  });

  it('run alone where one is larger than the limit', async () => {
    const checks = new Checks();
    const first = checks.start('first', 'a', 1);
    void checks.start('large', 'a', 1_000);
    void checks.start('last', 'a', 1);
    expect(checks.started).toEqual(['first']);
    checks.end('first');
    await first;
    expect(checks.started).toEqual(['first', 'large']);
  });

  it('make room for the next when they fail', async () => {
    const checks = new Checks();
    const failed = checks.start('failing', 'a', 400);
    void checks.start('next', 'a', 400);
    checks.fail('failing');
    await expect(failed).rejects.toThrow('failing');
    expect(checks.started).toEqual(['failing', 'next']);
  });
});

class Checks {
  readonly started: string[] = [];
  private readonly batches = new OperatorBatches();
  private readonly running = new Map<string, PromiseWithResolvers<void>>();

  start(what: string, operator: string, size: number): Promise<void> {
    const names = Array.from({ length: size }, (_, nth) => `${what}-${nth}.example`);
    return this.batches.run({ operator, token: what, names }, () => {
      this.started.push(what);
      const check = Promise.withResolvers<void>();
      this.running.set(what, check);
      return check.promise;
    });
  }

  end(what: string): void {
    this.running.get(what)?.resolve();
  }

  fail(what: string): void {
    this.running.get(what)?.reject(new Error(what));
  }
}
