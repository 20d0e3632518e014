import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { OperatorResolver } from '../../../../src/domains/rate-limiting/operator-resolver.js';
import { PublicSuffixList } from '../../../../src/domains/sources/lookup-sources.js';
import { after, SECOND } from '../../../../src/kernel/clock.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { extensionRouter } from '../../../support/builders/extension-router.js';
import { isAbsent, isFailing, isFound, ScriptedSource } from '../../../support/builders/scripted-source.js';

/** Stands in front of the sandbox, which stands for the registry. */
const first = (answer: Parameters<typeof ScriptedSource.answering>[0]) =>
  Object.assign(ScriptedSource.answering(answer, 'first'), { tlds: ['test'] });
const only = (answer: Parameters<typeof ScriptedSource.answering>[0], change: object = {}) =>
  Object.assign(ScriptedSource.answering(answer, 'only'), change);

const sourcesOf = ({ evidence }: { evidence: readonly { source: string; outcome: string }[] }) =>
  evidence.map(({ source, outcome }) => `${source} ${outcome}`);

describe('a lookup source with the role "first"', () => {
  it('ends the lookup if it finds a record', async () => {
    const result = await extensionRouter([first(isFound)]).lookUp('available.test');
    expect(result).toMatchObject({ kind: 'observation', source: 'acme', facts: { outcome: 'found' }, witnesses: 1 });
    expect(sourcesOf(result)).toEqual(['acme found']);
  });

  it.each([
    ['a not-found answer', isAbsent, 'absent'],
    ['a failed lookup', isFailing, 'inconclusive'],
  ])('is followed by the next source after %s, and both appear in the evidence', async (_what, answer, outcome) => {
    const { lookUp } = extensionRouter([first(answer)]);
    const registered = await lookUp('registered.test');
    expect(registered).toMatchObject({ kind: 'observation', source: 'sandbox', facts: { outcome: 'found' } });
    expect(sourcesOf(registered)).toEqual([`acme ${outcome}`, 'sandbox found']);
    expect(sourcesOf(await lookUp('throttled.test'))).toEqual([`acme ${outcome}`, 'sandbox inconclusive']);
    expect(await lookUp('available.test')).toMatchObject({ source: 'sandbox', facts: { outcome: 'absent' } });
  });

  it('leaves the next source time to answer if it hangs', async () => {
    const hanging = Object.assign(new ScriptedSource(() => new Promise(() => undefined), 'first'), { tlds: ['test'] });
    expect(await extensionRouter([hanging]).lookUp('registered.test', 60)).toMatchObject({
      kind: 'observation',
      evidence: [{ source: 'acme', rule: 'acme.timeout' }, { source: 'sandbox' }],
    });
  });

  it('is skipped if the rate limiter rejects its query', async () => {
    const { lookUp, admission } = extensionRouter([first(isFound)]);
    admission.rejection = { kind: 'rejected', reason: 'breaker', retryAfterSeconds: 9 };
    expect(sourcesOf(await lookUp('registered.test'))).toEqual(['acme inconclusive', 'sandbox found']);
  });

  it('cannot report a name as available if no other source serves the TLD', async () => {
    const alone = ScriptedSource.answering(isAbsent, 'first');
    expect(await extensionRouter([alone]).lookUp('free.com')).toMatchObject({
      kind: 'failure',
      code: 'tld_unsupported',
      evidence: [{ source: 'acme', outcome: 'absent' }],
    });
  });
});

describe('a lookup source with referrals', () => {
  const referral = { kind: 'referral', rule: 'acme.referral', excerpt: '', httpStatus: null } as const;

  it('dates its answer by the last query, which was answered, not by the first', async () => {
    let hops = 0;
    const source = new ScriptedSource(() => {
      clock.advance(2 * SECOND); // as long as this server takes
      hops += 1;
      return Promise.resolve(
        hops < 3 ? { ...referral, server: { host: `${hops}.acme.example`, port: 443 } } : isAbsent,
      );
    });
    const { lookUp, clock } = extensionRouter([source]);
    const startedAt = clock.now();
    const result = await lookUp('example.com');
    const askedLastAt = after(startedAt, 4 * SECOND);
    expect(result).toMatchObject({ observedAt: askedLastAt, evidence: [{ observedAt: askedLastAt }] });
  });
});

describe('a lookup source with the role "only"', () => {
  it('ends the lookup whatever it answers, even for a name of the sandbox', async () => {
    const { lookUp } = extensionRouter([only(isAbsent, { tlds: ['test'] })]);
    expect(sourcesOf(await lookUp('registered.test'))).toEqual(['acme absent']);
    const failing = extensionRouter([only(isFailing, { tlds: ['test'] })]);
    expect(sourcesOf(await failing.lookUp('registered.test'))).toEqual(['acme inconclusive']);
  });

  it('is not asked if an earlier source with this role serves the TLD', async () => {
    const { lookUp } = extensionRouter([only(isFound, { name: 'one' }), only(isAbsent, { name: 'two' })]);
    expect(sourcesOf(await lookUp('example.com'))).toEqual(['one found']);
  });

  it('makes the TLDs that it serves supported, and no others', () => {
    const suffixes = new PublicSuffixList(extensionRouter([only(isFound)]).sources);
    expect(DomainName.parse('example.com', suffixes).ascii).toBe('example.com');
    expect(suffixes.classify('example.org')).toEqual({ kind: 'unknown_tld' });
  });
});

describe('the operator of a lookup source', () => {
  const budget = { perSecond: 5, burst: 10, concurrency: 2 };
  const operatorsWith = (change: object, settings: Record<string, string> = {}) => {
    const { sources } = extensionRouter([only(isFound, change)]);
    const resolver = new OperatorResolver(readConfig(settings), sources.extensions);
    const [served] = sources.findServedTlds();
    const operator = served ? resolver.resolve(served.server) : '';
    return { server: served?.server.label, operator, budget: resolver.budgetFor(operator) };
  };

  it('is the source itself if the source declares a query budget', () => {
    expect(operatorsWith({ budget })).toEqual({
      server: 'api.acme.example',
      operator: 'acme',
      budget,
    });
  });

  it('is derived from the host of the source if the source declares no query budget', () => {
    expect(operatorsWith({})).toMatchObject({
      operator: 'acme.example',
      budget: readConfig({}).budgets.default,
    });
  });

  it('is the one in LOOKUP_BUDGETS_FILE if the file lists the host of the source', () => {
    const file = budgetsFile({ operators: { shared: { hosts: ['acme.example'], per_second: 1 } } });
    expect(operatorsWith({ budget }, { LOOKUP_BUDGETS_FILE: file })).toMatchObject({
      operator: 'shared',
      budget: { perSecond: 1 },
    });
  });

  it('is ignored for the role "first" if another source serves the TLD', () => {
    const { sources } = extensionRouter([first(isFound)]);
    expect(sources.findKnownServer(DomainName.restore('a.test'))).toMatchObject({ host: 'sandbox' });
    const alone = extensionRouter([ScriptedSource.answering(isFound, 'first')]).sources;
    expect(alone.findKnownServer(DomainName.restore('a.com'))).toMatchObject({ host: 'api.acme.example' });
  });
});
