import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { InvalidConfigurationError } from '../../../../src/config/invalid-configuration.error.js';
import type { DomainName, SourceAnswer, SourceServer } from '../../../../src/kit.js';
import type { Observation } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { ExtensionSources } from '../../../../src/domains/extension-sources/extension-sources.js';
import { extensionRouter } from '../../../support/builders/extension-router.js';
import { isAbsent, isFound, ScriptedSource } from '../../../support/builders/scripted-source.js';

const logged: unknown[] = [];
beforeAll(() => {
  jest.spyOn(Logger.prototype, 'error').mockImplementation((...parts: unknown[]) => void logged.push(...parts));
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterAll(() => void jest.restoreAllMocks());

const saying = (answer: unknown) => new ScriptedSource(() => Promise.resolve(answer as SourceAnswer));
const facts = (change: Record<string, unknown>) => ({
  ...isFound,
  facts: { ...(isFound.kind === 'facts' && isFound.facts), ...change },
});
const absence = (change: Record<string, unknown>) => ({
  ...isAbsent,
  facts: { ...(isAbsent.kind === 'facts' && isAbsent.facts), ...change },
});

describe('a hostile source', () => {
  it.each<[string, unknown, unknown]>([
    ['is a text', 'ns1.example.net', null],
    ['has texts for lists', { nameservers: 'ns1.example.net', ds: 'none' }, null],
    ['has thousands of name servers', { nameservers: Array(5_000).fill('ns1.example.net') }, null],
    ['has control characters', { nameservers: ['ns1.example\u0000.net'] }, null],
    ['has one that is none', { nameservers: ['ns1.example.net', 7] }, null],
    [
      'has others in another order',
      { nameservers: ['NS2.example.net.', 'ns1.example.net'] },
      ['ns1.example.net', 'ns2.example.net'],
    ],
  ])('whose record %s gives the facts all the same', async (_what, record, nameservers) => {
    const { lookUp } = extensionRouter([saying({ ...isFound, record })]);
    expect(await lookUp('example.com')).toMatchObject({
      kind: 'observation',
      facts: { outcome: 'found' },
      record: { nameservers, registrar: null, ds: null },
    });
  });

  it('cannot give a record of a name that is not registered', async () => {
    const { lookUp } = extensionRouter([saying({ ...isAbsent, record: { nameservers: ['ns1.example.net'] } })]);
    expect(await lookUp('example.com')).not.toHaveProperty('record');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'available'],
    ['an unknown kind', { ...isAbsent, kind: 'available' }],
    ['an unknown outcome', facts({ outcome: 'available' })],
    ['a date that is none', facts({ expiresAt: new Date('soon') })],
    ['a date as text', facts({ expiresAt: '2027-06-01' })],
    ['seconds for milliseconds', facts({ expiresAt: new Date(1_800_000_000) })],
    ['statuses that are none', facts({ statuses: [7] })],
    ['a thousand statuses', facts({ statuses: Array(1_000).fill('active') })],
    ['an absence with a registration date', absence({ registeredAt: new Date('2020-01-01') })],
    ['an absence that is not registrable', absence({ registrable: 'no' })],
    ['an absence of a name that is being deleted', absence({ quarantine: 'redemption' })],
    ['an unknown error code', { ...isAbsent, kind: 'failure', code: 'free', retryAfterSeconds: null }],
    ['a rule with control characters', { ...isAbsent, rule: 'free\u001b[2J' }],
    ['an excerpt that is no text', { ...isAbsent, excerpt: { toString: () => 'free' } }],
    ['a referral to nowhere', { ...isAbsent, kind: 'referral', server: { host: 'a b', port: 0 } }],
  ])('that answers %s makes a failure, never a status', async (_what, answer) => {
    const { lookUp } = extensionRouter([saying(answer)]);
    expect(await lookUp('example.com')).toMatchObject({
      kind: 'failure',
      code: 'registry_answer_unusable',
      evidence: [{ source: 'acme', outcome: 'inconclusive', rule: 'acme.malformed' }],
    });
  });

  it('cannot count as two sources, set the time of the recheck, or skip DNS', async () => {
    const claims = { witnesses: 7, recheckWithinMs: 1, delegation: 'not_delegated', source: 'sandbox' };
    const { lookUp } = extensionRouter([saying({ ...isAbsent, ...claims })]);
    const result = await lookUp('example.com');
    expect(result).toMatchObject({ kind: 'observation', source: 'acme', witnesses: 1, recheckWithinMs: null });
    expect(result).not.toHaveProperty('delegation');
  });

  it('that throws is named in the log, and its error is a failure', async () => {
    const { lookUp } = extensionRouter([new ScriptedSource(() => Promise.reject(new TypeError('oops')))]);
    expect(await lookUp('example.com')).toMatchObject({ kind: 'failure', code: 'registry_unreachable' });
    expect(logged).toContainEqual(expect.objectContaining({ source: 'acme', domain: 'example.com' }));
    const atOnce = new ScriptedSource(() => {
      throw new Error('at once');
    });
    expect(await extensionRouter([atOnce]).lookUp('example.com')).toMatchObject({ kind: 'failure' });
  });

  it('that never answers is abandoned at the deadline, its signal aborted', async () => {
    const signals: AbortSignal[] = [];
    const hanging = new ScriptedSource((_name, _server, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const { lookUp, admission } = extensionRouter([hanging]);
    expect(await lookUp('example.com', 30)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(admission.outcomes).toEqual(['failed']);
  });

  it('cannot return a long excerpt or one with control characters', async () => {
    const { lookUp } = extensionRouter([saying({ ...isFound, excerpt: `\u001b\u0000${'x'.repeat(10_000_000)}` })]);
    const excerpt = (await lookUp('example.com')).evidence[0]?.excerpt ?? '';
    expect(excerpt).toMatch(/^x{400,500}$/);
  });

  it('cannot change what it is given, nor its answer afterwards', async () => {
    const statuses = ['active'];
    const mutating = new ScriptedSource((name: DomainName, server: SourceServer) => {
      Reflect.set(name, 'ascii', 'other.com');
      Reflect.set(server, 'host', 'rdap.verisign.com');
      return Promise.resolve(facts({ statuses }) as SourceAnswer);
    });
    const { lookUp } = extensionRouter([mutating]);
    const result = await lookUp('example.com');
    statuses.push('pending delete');
    expect(result).toMatchObject({ facts: { statuses: ['active'] }, evidence: [{ server: 'api.acme.example' }] });
  });

  it('is not asked before its operator admits it', async () => {
    const source = saying(isAbsent);
    const { lookUp, admission } = extensionRouter([source]);
    admission.rejection = { kind: 'rejected', reason: 'budget', retryAfterSeconds: 9 };
    expect(await lookUp('example.com')).toMatchObject({ code: 'registry_throttled', notSent: 'budget' });
    expect(source.asked).toEqual([]);
  });

  it('is not asked about names of a TLD that it does not serve', async () => {
    const source = saying(isAbsent);
    const { lookUp } = extensionRouter([source]);
    expect(await lookUp('example.org')).toMatchObject({ kind: 'failure', code: 'tld_unsupported' });
    expect(source.asked).toEqual([]);
  });

  it('cannot refer the engine in a circle', async () => {
    const circle = saying({ ...isAbsent, kind: 'referral', server: { host: 'api.acme.example', port: 443 } });
    const { lookUp, admission } = extensionRouter([circle]);
    expect(await lookUp('example.com')).toMatchObject({ kind: 'failure', code: 'registry_answer_unusable' });
    expect(admission.servers).toHaveLength(4);
  });

  it('does not answer for zones of other registries', async () => {
    const source = Object.assign(saying(isAbsent), { tlds: ['ca'] });
    expect(await extensionRouter([source]).lookUp('free.gc.ca')).toMatchObject({ kind: 'failure' });
  });

  it('without usable servers serves nothing', async () => {
    const source = saying(isAbsent);
    source.servers = () => {
      throw new Error('no list yet');
    };
    expect(await extensionRouter([source]).lookUp('example.com')).toMatchObject({ code: 'tld_unsupported' });
  });
});

describe('a source that calls its zone private', () => {
  it.each([
    ['acme', true],
    ['com', undefined],
  ])('is believed where the public root delegates no such TLD: .%s', async (tld, isPrivateZone) => {
    const { lookUp } = extensionRouter([Object.assign(saying(isAbsent), { tlds: [tld], hasPrivateZone: true })]);
    expect(((await lookUp(`example.${tld}`)) as Observation).isPrivateZone).toBe(isPrivateZone);
  });
});

describe('the start is refused for a source', () => {
  const problemsOf = (...sources: ScriptedSource[]) => {
    try {
      new ExtensionSources(sources).assertValid();
      return [];
    } catch (error) {
      if (error instanceof InvalidConfigurationError) return error.problems;
      throw error;
    }
  };
  const named = (change: object) => Object.assign(saying(isAbsent), change);

  it.each(['sandbox', 'rdap', 'whois', 'dns'])('with the name %s', (name) => {
    expect(problemsOf(named({ name }))).toEqual([`the lookup source ${name} has the name of a built-in source`]);
  });

  it.each([
    ['with the name of another', [{}, {}], 'two lookup sources have the name acme'],
    [
      'without a proper name',
      [{ name: 'A C' }],
      'the name of the lookup source "A C" is not 2 to 60 lower-case letters',
    ],
    [
      'with an unknown role',
      [{ role: 'last' }],
      'the role of the lookup source acme is neither only nor first: "last"',
    ],
    ['with half a private zone', [{ hasPrivateZone: 'yes' }], 'hasPrivateZone of the lookup source acme is neither'],
    ['with a broken budget', [{ budget: { perSecond: -1 } }], 'the budget of the lookup source acme needs'],
  ])('%s', (_what, changes, problem) => {
    expect(problemsOf(...changes.map(named))).toEqual([expect.stringContaining(problem)]);
  });
});
