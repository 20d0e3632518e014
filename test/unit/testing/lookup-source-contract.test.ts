import { describe, expect, it } from '@jest/globals';
import type { DomainName, SourceAnswer, SourceServer } from '../../../src/kit.js';
import { lookupSourceContract } from '../../../src/testing.js';
import { isAbsent, isFailing, isFound, ScriptedSource } from '../../support/builders/scripted-source.js';

type Ask = (name: DomainName, server: SourceServer, signal: AbortSignal) => Promise<SourceAnswer>;

function untilAborted(signal: AbortSignal): Promise<SourceAnswer> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(isFailing)));
}

const good: Ask = (name, _server, signal) => {
  if (name.ascii === 'silent.com') return untilAborted(signal);
  const answers: Record<string, SourceAnswer> = { 'taken.com': isFound, 'outage.com': isFailing };
  return Promise.resolve(answers[name.ascii] ?? isAbsent);
};

/** The cases that fail, with their reasons. */
async function failuresOf(create: () => ScriptedSource): Promise<Record<string, string>> {
  const cases = lookupSourceContract({
    create,
    registered: 'taken.com',
    unregistered: 'free.com',
    failing: ['outage.com'],
    silent: 'silent.com',
    confidential: ['s3cret'],
  });
  const outcomes = cases.map(async ({ name, run }) =>
    run().then(
      () => [],
      (error: Error) => [[name, error.message]],
    ),
  );
  return Object.fromEntries((await Promise.all(outcomes)).flat()) as Record<string, string>;
}

const failuresWhere = (bug: Partial<Record<string, (signal: AbortSignal) => Promise<SourceAnswer>>>) =>
  failuresOf(
    () => new ScriptedSource((name, server, signal) => bug[name.ascii]?.(signal) ?? good(name, server, signal)),
  );
const saying = (answer: unknown) => () => Promise.resolve(answer as SourceAnswer);

describe('the contract tests for lookup sources', () => {
  it('pass for a source that answers correctly', async () => {
    expect(await failuresOf(() => new ScriptedSource(good))).toEqual({});
  });

  it('fail for a source that answers "not found" when its server fails', async () => {
    const failures = await failuresWhere({ 'outage.com': saying(isAbsent) });
    expect(Object.keys(failures)).toEqual(['answers outage.com with a failure']);
  });

  it('fail for a source that throws when its server fails', async () => {
    const failures = await failuresWhere({ 'outage.com': () => Promise.reject(new Error('HTTP 503')) });
    expect(failures).toMatchObject({ 'answers outage.com with a failure': 'HTTP 503' });
  });

  it('fail for a source that ignores its abort signal', async () => {
    const failures = await failuresWhere({ 'silent.com': () => new Promise(() => undefined) });
    expect(failures).toEqual({ 'ends when its signal aborts': expect.stringContaining('there was nothing') });
  });

  it('fail for a source that repeats credentials or contacts in its evidence', async () => {
    for (const excerpt of ['key=s3cret', 'owner jane@registrant.example', 'call +49.3012345678'])
      expect(Object.keys(await failuresWhere({ 'taken.com': saying({ ...isFound, excerpt }) }))).toEqual([
        'keeps contacts and secrets out of its evidence',
      ]);
  });

  it('fail for a source that reports invalid dates', async () => {
    const facts = { ...(isFound.kind === 'facts' && isFound.facts), expiresAt: new Date('soon') };
    const failures = await failuresWhere({ 'taken.com': saying({ ...isFound, facts }) });
    expect(failures).toMatchObject({ 'finds a registered name': expect.stringContaining('facts.expiresAt') });
  });

  it('fail for a source that mixes up lookups that run at the same time', async () => {
    let latest = '';
    const confused: Ask = async (name, server, signal) => {
      latest = name.ascii;
      if (latest === 'silent.com') return good(name, server, signal);
      await Promise.resolve();
      return latest === 'outage.com' ? isFailing : latest === 'taken.com' ? isFound : isAbsent;
    };
    const failures = await failuresOf(() => new ScriptedSource(confused));
    expect(Object.keys(failures)).toContain('keeps questions apart that are asked at once');
  });

  it('fail for a source with a built-in name, an invalid TLD or a wrong private zone', async () => {
    const renamed = (change: Partial<ScriptedSource>) => () => Object.assign(new ScriptedSource(good), change);
    expect(await failuresOf(renamed({ name: 'rdap' }))).toMatchObject({
      'has a valid name, role and budget': expect.stringContaining('built-in'),
    });
    expect(await failuresOf(renamed({ tlds: ['.COM'] }))).toMatchObject({
      'serves top-level domains by their servers': expect.anything(),
    });
    expect(await failuresOf(renamed({ hasPrivateZone: true }))).toEqual({
      'has a private zone only where the public DNS has none': expect.stringContaining('.com is in the public DNS'),
    });
  });
});
