import { describe, expect, it } from '@jest/globals';
import type { CheckOutcome, CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import { CheckMany, type NameOutcome } from '../../../../src/domains/checks/check-many.js';
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

  stream(domains: readonly string[], timeoutMs?: number): ReadableStream<NameOutcome> {
    const operators = { operatorOf: ({ tld }: DomainName) => tld } as unknown as OperatorRateLimits;
    const many = new CheckMany(this as unknown as CheckDomain, operators, new TestClock());
    return many.stream(
      domains.map((domain) => many.parse(domain)),
      { accountId: 'acc_1' },
      timeoutMs,
    );
  }

  async outcomes(domains: readonly string[], timeoutMs?: number): Promise<readonly NameOutcome['outcome'][]> {
    const outcomes: NameOutcome['outcome'][] = [];
    for await (const { index, outcome } of this.stream(domains, timeoutMs)) outcomes[index] = outcome;
    return outcomes;
  }
}

const found = failure({ code: 'registry_timeout' }); // any final outcome
const never = new Promise<CheckOutcome>(() => undefined);

describe('a bulk check', () => {
  it('makes at most ten simultaneous lookups at one registry operator', async () => {
    const checks = new ScriptedChecks(() => found);
    const names = Array.from({ length: 200 }, (_, n) => `n${n}.one`);
    expect(await checks.outcomes(names)).toHaveLength(200);
    expect(checks.most).toBe(10);
  });

  it('answers for one registry operator while another does not answer', async () => {
    const checks = new ScriptedChecks((name) => (name.endsWith('.slow') ? never : found));
    const slow = Array.from({ length: 50 }, (_, n) => `n${n}.slow`);
    const answers = await checks.outcomes([...slow, 'n.quick'], 100);
    expect(answers.at(-1)).toBe(found);
    expect(checks.asked).toContain('n.quick');
  });

  it('reports names without an answer in time as registry_throttled, with their TLD', async () => {
    const checks = new ScriptedChecks(() => never);
    const answers = await checks.outcomes(['a.slow', 'b.slow'], 30);
    for (const answer of answers)
      expect(answer).toMatchObject({
        kind: 'failure',
        code: 'registry_throttled',
        registry: '.slow',
        retryAfterSeconds: 1,
      });
  });

  it('retries a name while the registry’s rate limit is used up', async () => {
    const checks = new ScriptedChecks((_, times) => (times < 3 ? spent : found));
    expect(await checks.outcomes(['a.test'], 5_000)).toEqual([found]);
    expect(checks.asked).toHaveLength(3);
  });

  it.each([
    ['is blocked because of its Retry-After', failure({ notSent: 'block' })],
    ['throttles the query', failure()],
    ['has no query left in its rate limit before the deadline', failure({ notSent: 'budget', retryAfterSeconds: 60 })],
  ])('does not retry a name if its registry %s', async (_, answer) => {
    const checks = new ScriptedChecks(() => answer);
    expect(await checks.outcomes(['a.test'], 5_000)).toEqual([answer]);
    expect(checks.asked).toHaveLength(1);
  });

  it('reports each answer when it arrives, and a repeated name at both of its positions', async () => {
    const checks = new ScriptedChecks((name) => (name === 'a.slow' ? never : found));
    const reader = checks.stream(['a.slow', 'b.quick', 'c.quick', 'b.quick'], 100).getReader();
    const told = [await reader.read(), await reader.read(), await reader.read()].map(({ value }) => value?.index);
    expect(told.sort()).toEqual([1, 2, 3]);
    await reader.cancel();
  });

  it('looks up no further names when the client stops reading the answers', async () => {
    const checks = new ScriptedChecks(() => found);
    const reader = checks.stream(Array.from({ length: 100 }, (_, n) => `n${n}.one`)).getReader();
    await reader.read();
    await reader.cancel();
    const asked = checks.asked.length;
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(checks.asked).toHaveLength(asked);
    expect(asked).toBeLessThan(100);
  });

  it('fails as a whole if the database is down', async () => {
    const checks = new ScriptedChecks(() => Promise.reject(new Error('the database is down')));
    await expect(checks.outcomes(['a.test'])).rejects.toThrow('the database is down');
  });
});
