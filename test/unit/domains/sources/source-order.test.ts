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

describe('a source with the role "first"', () => {
  it('is final where it finds a record', async () => {
    const result = await extensionRouter([first(isFound)]).lookUp('available.test');
    expect(result).toMatchObject({ kind: 'observation', source: 'acme', facts: { outcome: 'found' }, witnesses: 1 });
    expect(sourcesOf(result)).toEqual(['acme found']);
  });

  it.each([
    ['an absence', isAbsent, 'absent'],
    ['a failure', isFailing, 'inconclusive'],
  ])('passes %s on to the next source, and keeps the evidence of both', async (_what, answer, outcome) => {
    const { lookUp } = extensionRouter([first(answer)]);
    const registered = await lookUp('registered.test');
    expect(registered).toMatchObject({ kind: 'observation', source: 'sandbox', facts: { outcome: 'found' } });
    expect(sourcesOf(registered)).toEqual([`acme ${outcome}`, 'sandbox found']);
    expect(sourcesOf(await lookUp('throttled.test'))).toEqual([`acme ${outcome}`, 'sandbox inconclusive']);
    expect(await lookUp('available.test')).toMatchObject({ source: 'sandbox', facts: { outcome: 'absent' } });
  });

  it('that hangs leaves the next source its half of the time', async () => {
    const hanging = Object.assign(new ScriptedSource(() => new Promise(() => undefined), 'first'), { tlds: ['test'] });
    expect(await extensionRouter([hanging]).lookUp('registered.test', 60)).toMatchObject({
      kind: 'observation',
      evidence: [{ source: 'acme', rule: 'acme.timeout' }, { source: 'sandbox' }],
    });
  });

  it('that is not admitted is skipped', async () => {
    const { lookUp, admission } = extensionRouter([first(isFound)]);
    admission.rejection = { kind: 'rejected', reason: 'breaker', retryAfterSeconds: 9 };
    expect(sourcesOf(await lookUp('registered.test'))).toEqual(['acme inconclusive', 'sandbox found']);
  });

  it('proves no absence where no other source serves the name', async () => {
    const alone = ScriptedSource.answering(isAbsent, 'first');
    expect(await extensionRouter([alone]).lookUp('free.com')).toMatchObject({
      kind: 'failure',
      code: 'tld_unsupported',
      evidence: [{ source: 'acme', outcome: 'absent' }],
    });
  });
});

describe('a source that refers to another server', () => {
  const referral = { kind: 'referral', rule: 'acme.referral', excerpt: '', httpStatus: null } as const;

  it('dates its answer by the query that was answered, not by the first query', async () => {
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

describe('a source with the role "only"', () => {
  it('is final whatever it answers, and comes before the sandbox', async () => {
    const { lookUp } = extensionRouter([only(isAbsent, { tlds: ['test'] })]);
    expect(sourcesOf(await lookUp('registered.test'))).toEqual(['acme absent']);
    const failing = extensionRouter([only(isFailing, { tlds: ['test'] })]);
    expect(sourcesOf(await failing.lookUp('registered.test'))).toEqual(['acme inconclusive']);
  });

  it('comes after the sources with the role "first"', async () => {
    const { lookUp } = extensionRouter([only(isFound, { name: 'one' }), only(isAbsent, { name: 'two' })]);
    expect(sourcesOf(await lookUp('example.com'))).toEqual(['one found']);
  });

  it('makes its TLDs supported', () => {
    const suffixes = new PublicSuffixList(extensionRouter([only(isFound)]).sources);
    expect(DomainName.parse('example.com', suffixes).ascii).toBe('example.com');
    expect(suffixes.classify('example.org')).toEqual({ kind: 'unknown_tld' });
  });
});

describe('the operator of a source', () => {
  const budget = { perSecond: 5, burst: 10, concurrency: 2 };
  const operatorsWith = (change: object, settings: Record<string, string> = {}) => {
    const { sources } = extensionRouter([only(isFound, change)]);
    const resolver = new OperatorResolver(readConfig(settings), sources.extensions);
    const [served] = sources.findServedTlds();
    const operator = served ? resolver.resolve(served.server) : '';
    return { server: served?.server.label, operator, budget: resolver.budgetFor(operator) };
  };

  it('is the source itself if it has its own budget', () => {
    expect(operatorsWith({ budget })).toEqual({
      server: 'api.acme.example',
      operator: 'acme',
      budget,
    });
  });

  it('is the operator of its host if it has no budget of its own', () => {
    expect(operatorsWith({})).toMatchObject({
      operator: 'acme.example',
      budget: readConfig({}).budgets.default,
    });
  });

  it('is the one of the settings where they list its host', () => {
    const file = budgetsFile({ operators: { shared: { hosts: ['acme.example'], per_second: 1 } } });
    expect(operatorsWith({ budget }, { LOOKUP_BUDGETS_FILE: file })).toMatchObject({
      operator: 'shared',
      budget: { perSecond: 1 },
    });
  });

  it('for the pace of a watch is the one of the source whose answer is final', () => {
    const { sources } = extensionRouter([first(isFound)]);
    expect(sources.findKnownServer(DomainName.restore('a.test'))).toMatchObject({ host: 'sandbox' });
    const alone = extensionRouter([ScriptedSource.answering(isFound, 'first')]).sources;
    expect(alone.findKnownServer(DomainName.restore('a.com'))).toMatchObject({ host: 'api.acme.example' });
  });
});
