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

describe('a lookup source of an extension', () => {
  it.each<[string, unknown, unknown]>([
    ['is a string', 'ns1.example.net', null],
    ['has strings in place of lists', { nameservers: 'ns1.example.net', ds: 'none' }, null],
    ['has thousands of name servers', { nameservers: Array(5_000).fill('ns1.example.net') }, null],
    ['has control characters', { nameservers: ['ns1.example\u0000.net'] }, null],
    ['has a number as a name server', { nameservers: ['ns1.example.net', 7] }, null],
    [
      'has name servers in another order and in capitals',
      { nameservers: ['NS2.example.net.', 'ns1.example.net'] },
      ['ns1.example.net', 'ns2.example.net'],
    ],
  ])('gives usable facts even if its registration record %s', async (_what, record, nameservers) => {
    const { lookUp } = extensionRouter([saying({ ...isFound, record })]);
    expect(await lookUp('example.com')).toMatchObject({
      kind: 'observation',
      facts: { outcome: 'found' },
      record: { nameservers, registrar: null, ds: null },
    });
  });

  it('cannot give a registration record for a name that is not registered', async () => {
    const { lookUp } = extensionRouter([saying({ ...isAbsent, record: { nameservers: ['ns1.example.net'] } })]);
    expect(await lookUp('example.com')).not.toHaveProperty('record');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a string', 'available'],
    ['an unknown kind', { ...isAbsent, kind: 'available' }],
    ['an unknown outcome', facts({ outcome: 'available' })],
    ['an invalid date', facts({ expiresAt: new Date('soon') })],
    ['a date as a string', facts({ expiresAt: '2027-06-01' })],
    ['a date in seconds in place of milliseconds', facts({ expiresAt: new Date(1_800_000_000) })],
    ['a number as a status', facts({ statuses: [7] })],
    ['a thousand statuses', facts({ statuses: Array(1_000).fill('active') })],
    ['not found with a registration date', absence({ registeredAt: new Date('2020-01-01') })],
    ['not found with an invalid field', absence({ registrable: 'no' })],
    ['not found for a name that is being deleted', absence({ quarantine: 'redemption' })],
    ['an unknown error code', { ...isAbsent, kind: 'failure', code: 'free', retryAfterSeconds: null }],
    ['a rule with control characters', { ...isAbsent, rule: 'free\u001b[2J' }],
    ['an excerpt that is not a string', { ...isAbsent, excerpt: { toString: () => 'free' } }],
    ['a referral to an invalid host', { ...isAbsent, kind: 'referral', server: { host: 'a b', port: 0 } }],
  ])('causes a failed lookup, never a status, if it answers %s', async (_what, answer) => {
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

  it('is named in the log if it throws, and the lookup fails', async () => {
    const { lookUp } = extensionRouter([new ScriptedSource(() => Promise.reject(new TypeError('oops')))]);
    expect(await lookUp('example.com')).toMatchObject({ kind: 'failure', code: 'registry_unreachable' });
    expect(logged).toContainEqual(expect.objectContaining({ source: 'acme', domain: 'example.com' }));
    const atOnce = new ScriptedSource(() => {
      throw new Error('at once');
    });
    expect(await extensionRouter([atOnce]).lookUp('example.com')).toMatchObject({ kind: 'failure' });
  });

  it('is aborted at the deadline if it never answers, and the lookup fails', async () => {
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

  it('cannot return an excerpt with over 500 characters or with control characters', async () => {
    const { lookUp } = extensionRouter([saying({ ...isFound, excerpt: `\u001b\u0000${'x'.repeat(10_000_000)}` })]);
    const excerpt = (await lookUp('example.com')).evidence[0]?.excerpt ?? '';
    expect(excerpt).toMatch(/^x{400,500}$/);
  });

  it('cannot change the name and server that it is given, nor its answer later', async () => {
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

  it('is not asked if the query budget of its operator is used up', async () => {
    const source = saying(isAbsent);
    const { lookUp, admission } = extensionRouter([source]);
    admission.rejection = { kind: 'rejected', reason: 'budget', retryAfterSeconds: 9 };
    expect(await lookUp('example.com')).toMatchObject({ code: 'registry_throttled', notSent: 'budget' });
    expect(source.asked).toEqual([]);
  });

  it('is not asked about a name under a TLD that it does not serve', async () => {
    const source = saying(isAbsent);
    const { lookUp } = extensionRouter([source]);
    expect(await lookUp('example.org')).toMatchObject({ kind: 'failure', code: 'tld_unsupported' });
    expect(source.asked).toEqual([]);
  });

  it('fails the lookup after four queries if it always refers to itself', async () => {
    const circle = saying({ ...isAbsent, kind: 'referral', server: { host: 'api.acme.example', port: 443 } });
    const { lookUp, admission } = extensionRouter([circle]);
    expect(await lookUp('example.com')).toMatchObject({ kind: 'failure', code: 'registry_answer_unusable' });
    expect(admission.servers).toHaveLength(4);
  });

  it('cannot report a name as available in the zone of another registry', async () => {
    const source = Object.assign(saying(isAbsent), { tlds: ['ca'] });
    expect(await extensionRouter([source]).lookUp('free.gc.ca')).toMatchObject({ kind: 'failure' });
  });

  it('serves no TLD if it throws when asked for its servers', async () => {
    const source = saying(isAbsent);
    source.servers = () => {
      throw new Error('no list yet');
    };
    expect(await extensionRouter([source]).lookUp('example.com')).toMatchObject({ code: 'tld_unsupported' });
  });
});

describe('the private zone of a lookup source', () => {
  it.each([
    ['acme', true],
    ['com', undefined],
  ])('is believed only if the public root has no such TLD: .%s', async (tld, isPrivateZone) => {
    const { lookUp } = extensionRouter([Object.assign(saying(isAbsent), { tlds: [tld], hasPrivateZone: true })]);
    expect(((await lookUp(`example.${tld}`)) as Observation).isPrivateZone).toBe(isPrivateZone);
  });
});

describe('the declaration of a lookup source', () => {
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

  it.each(['sandbox', 'rdap', 'whois', 'dns'])('is refused at startup with the built-in name %s', (name) => {
    expect(problemsOf(named({ name }))).toEqual([`the lookup source ${name} has the name of a built-in source`]);
  });

  it.each([
    ['with the name of another source', [{}, {}], 'two lookup sources have the name acme'],
    [
      'with an invalid name',
      [{ name: 'A C' }],
      'the name of the lookup source "A C" is not 2 to 60 lower-case letters',
    ],
    [
      'with an unknown role',
      [{ role: 'last' }],
      'the role of the lookup source acme is neither only nor first: "last"',
    ],
    [
      'with text in place of a yes/no setting',
      [{ hasPrivateZone: 'yes' }],
      'hasPrivateZone of the lookup source acme is neither',
    ],
    ['with a negative rate limit', [{ budget: { perSecond: -1 } }], 'the budget of the lookup source acme needs'],
  ])('is refused at startup %s', (_what, changes, problem) => {
    expect(problemsOf(...changes.map(named))).toEqual([expect.stringContaining(problem)]);
  });
});
