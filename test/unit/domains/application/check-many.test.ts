import { describe, expect, it } from '@jest/globals';
import type { CheckOutcome, CheckDomain } from '../../../../src/domains/application/checks/check-domain.js';
import { CheckMany } from '../../../../src/domains/application/checks/check-many.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupFailure } from '../../../../src/domains/domain/lookup/lookup-result.js';
import type { OperatorQuotaService } from '../../../../src/domains/application/ports/operator-quota-service.js';
import { TestClock } from '../../../support/fakes/test-clock.js';

const failure = (changes: Partial<LookupFailure> = {}): LookupFailure => ({
  ...{ kind: 'failure', code: 'registry_throttled', registry: 'rdap.test', retryAfterSeconds: 1, evidence: [] },
  observedAt: new Date(),
  ...changes,
});
const spent = failure({ notSent: 'budget', retryAfterSeconds: 0.02 });

/** Checks that answer as they are told to, and count how many of them run at a time. */
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
    const operators = { operatorOf: ({ tld }: DomainName) => tld } as unknown as OperatorQuotaService;
    return new CheckMany(this as unknown as CheckDomain, operators, new TestClock());
  }
}

const found = failure({ code: 'registry_timeout' }); // any answer that stands will do here
const never = new Promise<CheckOutcome>(() => undefined);

describe('many checks', () => {
  it('ask a few names of an operator at a time, however many there are', async () => {
    const checks = new ScriptedChecks(() => found);
    const names = Array.from({ length: 200 }, (_, n) => `n${n}.one`);
    expect(await checks.many().run(names, {})).toHaveLength(200);
    expect(checks.most).toBe(10);
  });

  it('let no operator wait for another', async () => {
    const checks = new ScriptedChecks((name) => (name.endsWith('.slow') ? never : found));
    const slow = Array.from({ length: 50 }, (_, n) => `n${n}.slow`);
    const answers = await checks.many().run([...slow, 'n.quick'], {}, 100);
    expect(answers.at(-1)).toBe(found);
    expect(checks.asked).toContain('n.quick');
  });

  it('call every name throttled that has no answer in time, and say of which TLD', async () => {
    const checks = new ScriptedChecks(() => never);
    const answers = await checks.many().run(['a.slow', 'b.slow'], {}, 30);
    for (const answer of answers)
      expect(answer).toMatchObject({ kind: 'failure', code: 'registry_throttled', registry: '.slow' });
  });

  it('get in line again when our own budget is spent, as long as the call lasts', async () => {
    const checks = new ScriptedChecks((_, times) => (times < 3 ? spent : found));
    expect(await checks.many().run(['a.test'], {}, 5_000)).toEqual([found]);
    expect(checks.asked).toHaveLength(3);
  });

  it.each([
    ['wants to be left alone', failure({ notSent: 'block' })],
    ['throttles us', failure()],
    ['will not be asked before the call is over', failure({ notSent: 'budget', retryAfterSeconds: 60 })],
  ])('ask a registry once that %s', async (_, answer) => {
    const checks = new ScriptedChecks(() => answer);
    expect(await checks.many().run(['a.test'], {}, 5_000)).toEqual([answer]);
    expect(checks.asked).toHaveLength(1);
  });

  it('fail as a whole where nothing can be known', async () => {
    const checks = new ScriptedChecks(() => Promise.reject(new Error('the database is away')));
    await expect(checks.many().run(['a.test'], {})).rejects.toThrow('the database is away');
  });
});
