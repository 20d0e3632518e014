import { describe, expect, it } from '@jest/globals';
import type { CheckOutcome, CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import { CheckMany } from '../../../../src/domains/checks/check-many.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { failedLookup, type LookupFailure } from '../../../../src/domains/domain/lookup/lookup-result.js';
import type { OperatorRateLimits } from '../../../../src/domains/sources/operator-rate-limits.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

const failure = (changes: Partial<LookupFailure> = {}): LookupFailure => ({
  ...failedLookup('registry_throttled', 'rdap.test', new Date()),
  retryAfterSeconds: 1,
  ...changes,
});
const spent = failure({ notSent: 'budget', retryAfterSeconds: 0.02 });

/** Scripted outcomes; counts the simultaneous checks. */
class ScriptedChecks {
  readonly asked: string[] = [];
  most = 0;
  private now = 0;

  constructor(private readonly answer: (name: string, times: number) => CheckOutcome | Promise<CheckOutcome>) {}

  parse(domain: string): DomainName {
    return DomainName.restore(domain);
  }

  async check({ ascii }: DomainName): Promise<CheckOutcome> {
    this.asked.push(ascii);
    this.most = Math.max(this.most, (this.now += 1));
    await new Promise(setImmediate);
    const answer = await this.answer(ascii, this.asked.filter((one) => one === ascii).length);
    this.now -= 1;
    return answer;
  }

  many(): CheckMany {
    const operators = { operatorOf: ({ tld }: DomainName) => tld } as unknown as OperatorRateLimits;
    return new CheckMany(this as unknown as CheckDomain, operators, new TestClock());
  }
}

const found = failure({ code: 'registry_timeout' }); // any final outcome
const never = new Promise<CheckOutcome>(() => undefined);

describe('many checks', () => {
  it('limit the simultaneous lookups of one operator', async () => {
    const checks = new ScriptedChecks(() => found);
    const names = Array.from({ length: 200 }, (_, n) => `n${n}.one`);
    expect(await checks.many().run(names, {})).toHaveLength(200);
    expect(checks.most).toBe(10);
  });

  it('do not let one operator delay another', async () => {
    const checks = new ScriptedChecks((name) => (name.endsWith('.slow') ? never : found));
    const slow = Array.from({ length: 50 }, (_, n) => `n${n}.slow`);
    const answers = await checks.many().run([...slow, 'n.quick'], {}, 100);
    expect(answers.at(-1)).toBe(found);
    expect(checks.asked).toContain('n.quick');
  });

  it('report names without an answer in time as throttled, with their TLD', async () => {
    const checks = new ScriptedChecks(() => never);
    const answers = await checks.many().run(['a.slow', 'b.slow'], {}, 30);
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: 'failure', code: 'registry_throttled', registry: '.slow' });
  });

  it('retry while the budget is used up, until the deadline', async () => {
    const checks = new ScriptedChecks((_, times) => (times < 3 ? spent : found));
    expect(await checks.many().run(['a.test'], {}, 5_000)).toEqual([found]);
    expect(checks.asked).toHaveLength(3);
  });

  it.each([
    ['is blocked by its Retry-After', failure({ notSent: 'block' })],
    ['throttles the query', failure()],
    ['has no budget before the deadline', failure({ notSent: 'budget', retryAfterSeconds: 60 })],
  ])('do not retry a registry that %s', async (_, answer) => {
    const checks = new ScriptedChecks(() => answer);
    expect(await checks.many().run(['a.test'], {}, 5_000)).toEqual([answer]);
    expect(checks.asked).toHaveLength(1);
  });

  it('fail as a whole when the database is down', async () => {
    const checks = new ScriptedChecks(() => Promise.reject(new Error('the database is down')));
    await expect(checks.many().run(['a.test'], {})).rejects.toThrow('the database is down');
  });
});
