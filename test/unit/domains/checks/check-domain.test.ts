import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CheckDomain, CheckRequest } from '../../../../src/domains/checks/check-domain.js';
import type { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import { type Watchlist, WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { after, DAY, SECOND } from '../../../../src/kernel/clock.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { buildChecks, InMemoryLookups, ScriptedRegistryLookup, watching } from './scripted-ports.js';

const name = DomainName.restore('example.com');

let clock: TestClock;
let registry: ScriptedRegistryLookup;
let link: WatchlistLink;
let checks: CheckDomain;
let lookup: DomainLookup;
let lookups: InMemoryLookups;

function build(settings: Record<string, string> = {}): void {
  lookups = new InMemoryLookups(clock);
  ({ checks, lookup } = buildChecks({ registry, clock, link, lookups, settings }));
}

const check = (asked: DomainName, request: Partial<CheckRequest> = {}) =>
  checks.check(asked, { accountId: 'acc_1', ...request });

beforeAll(() => void Logger.overrideLogger(false));

beforeEach(() => {
  clock = new TestClock();
  registry = new ScriptedRegistryLookup(clock);
  link = new WatchlistLink();
  build();
});

describe('a check', () => {
  it('returns status, phase, observation and age', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 10 * DAY) });
    expect(await check(name)).toMatchObject({
      kind: 'result',
      name,
      status: 'expiring',
      lifecycle: { phase: 'expiring' },
      ageSeconds: 0,
      observation: { facts: registry.facts, observedAt: clock.now() },
    });
  });

  it('distinguishes reserved names, which a watch shows as registered', async () => {
    registry.facts = reserved;
    expect(await check(name)).toMatchObject({ status: 'reserved', lifecycle: { status: 'registered' } });
  });

  it('gives a registry ten seconds', async () => {
    await check(name);
    expect(registry.calls).toEqual([{ name: 'example.com', timeoutMs: 10_000 }]);
  });

  it.each([
    ['registered', found(), 900],
    ['available', absent, 60],
    ['pending delete', found({ statuses: ['pending delete'] }), 60],
    ['redemption', found({ statuses: ['redemption period'] }), 60],
    ['reserved', reserved, 3_600],
  ])(
    'of a name that is %s is answered from the cache while fresh, then looked up again',
    async (_what, facts, seconds) => {
      registry.facts = facts;
      await check(name);
      clock.advance(seconds * SECOND);
      expect(await check(name)).toMatchObject({ ageSeconds: seconds });
      expect(registry.calls).toHaveLength(1);
      clock.advance(1);
      expect(await check(name)).toMatchObject({ ageSeconds: 0 });
      expect(registry.calls).toHaveLength(2);
    },
  );

  it('computes the phase at the time of the check, not of the lookup', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 30 * DAY + 100 * SECOND) });
    expect(await check(name)).toMatchObject({ status: 'registered' });
    clock.advance(100 * SECOND);
    expect(await check(name)).toMatchObject({ status: 'expiring', ageSeconds: 100 });
  });

  it('accepts no answer older than max_age, and none at all with 0', async () => {
    await check(name);
    await check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
    clock.advance(10 * SECOND);
    await check(name, { maxAgeSeconds: 10 });
    expect(registry.calls).toHaveLength(2);
    await check(name, { maxAgeSeconds: 9 });
    expect(registry.calls).toHaveLength(3);
  });

  it('is not served stale because of a higher max_age', async () => {
    registry.facts = absent;
    await check(name);
    clock.advance(61 * SECOND);
    await check(name, { maxAgeSeconds: 86_400 });
    expect(registry.calls).toHaveLength(2);
  });

  it('is looked up again as soon as the clock was put back', async () => {
    registry.facts = absent;
    await check(name);
    clock.advance(-3_600 * SECOND);
    registry.facts = found({});
    expect(await check(name)).toMatchObject({ status: 'registered' });
    clock.advance(3_600 * SECOND);
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });

  it('ages faster with a time scale', async () => {
    build({ TIME_SCALE: '100' });
    await check(name);
    clock.advance(9 * SECOND);
    await check(name);
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    await check(name);
    expect(registry.calls).toHaveLength(2);
  });

  it('that fails is an error without a status, and is not cached', async () => {
    registry.facts = null;
    expect(await check(name)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.facts = absent;
    expect(await check(name)).toMatchObject({ status: 'available' });
  });

  it('that fails leaves a fresh cached answer alone', async () => {
    await check(name);
    registry.facts = null;
    expect(await check(name, { maxAgeSeconds: 0 })).toMatchObject({ kind: 'failure' });
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });

  it('is answered from the cache for no longer than a simulated registry stays as it is', async () => {
    registry.recheckWithinMs = 5 * SECOND;
    await check(name);
    clock.advance(5 * SECOND);
    expect(await check(name)).toMatchObject({ ageSeconds: 5 });
    clock.advance(1);
    expect(await check(name)).toMatchObject({ ageSeconds: 0 });
  });

  it('sends one query for simultaneous requests', async () => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const simultaneous = Array.from({ length: 100 }, () => check(name, { maxAgeSeconds: 0 }));
    const other = check(DomainName.restore('example.org'));
    answer.resolve();
    const outcomes = await Promise.all(simultaneous);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['result']));
    await other;
    expect(registry.calls.map((call) => call.name)).toEqual(['example.com', 'example.org']);
    await check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(3);
  });

  it.each([0, 1])('is no older than %d s when it joins a lookup in flight', async (maxAgeSeconds) => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const first = check(name);
    await new Promise(setImmediate); // the lookup is in flight
    clock.advance(3 * SECOND);
    registry.facts = absent;
    const late = Array.from({ length: 100 }, () => check(name, { maxAgeSeconds }));
    answer.resolve();
    expect(await first).toMatchObject({ status: 'registered' });
    for (const outcome of await Promise.all(late))
      expect(outcome).toMatchObject({ status: 'available', ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('joins a lookup in flight of any age without max_age', async () => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const first = check(name);
    await new Promise(setImmediate); // the lookup is in flight
    clock.advance(3 * SECOND);
    const patient = check(name);
    answer.resolve();
    expect(await first).toMatchObject({ status: 'registered' });
    expect(await patient).toMatchObject({ status: 'registered', ageSeconds: 3 });
    expect(registry.calls).toHaveLength(1);
  });

  it('of one account is not answered from the lookup of another, nor does it wait for that', async () => {
    const both = await Promise.all([check(name), check(name, { accountId: 'acc_2' })]);
    expect(both).toMatchObject([{ status: 'registered' }, { status: 'registered' }]);
    await check(name, { accountId: 'acc_3' });
    expect(registry.calls).toHaveLength(3);
    await check(name, { accountId: 'acc_2' });
    expect(registry.calls).toHaveLength(3);
  });

  it('is looked up again once another account’s lookup said something else', async () => {
    await check(name);
    clock.advance(SECOND);
    await check(name, { accountId: 'acc_2' });
    expect(await check(name)).toMatchObject({ ageSeconds: 1 }); // which said the same
    registry.facts = found({ statuses: ['pending delete'] });
    clock.advance(SECOND);
    await check(name, { accountId: 'acc_2', maxAgeSeconds: 0 });
    expect(await check(name)).toMatchObject({ status: 'pending_delete', ageSeconds: 0 });
  });

  it('looks up again after a lookup that threw', async () => {
    registry.answerGate = Promise.reject(new Error('a bug'));
    await expect(check(name)).rejects.toThrow('a bug');
    registry.answerGate = Promise.resolve();
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });
});

describe('the watchlist', () => {
  const recordBy = (recordCheck: Watchlist['recordCheck']) => link.connect({ ...link.watchlist, recordCheck });

  it('records results and failures before the check is answered', async () => {
    const recorded: string[] = [];
    recordBy(async ({ ascii }, result) => {
      await new Promise(setImmediate);
      recorded.push(`${ascii} ${result.kind}`);
    });
    await check(name);
    expect(recorded).toEqual(['example.com observation']);
    registry.facts = null;
    await check(name, { maxAgeSeconds: 0 });
    expect(recorded).toEqual(['example.com observation', 'example.com failure']);
  });

  it('records no stored answers and no lookups of a watch', async () => {
    const recorded: LookupResult[] = [];
    await check(name);
    recordBy(async (_name, result) => void recorded.push(result));
    await lookup.forWatch(name, watching());
    await check(name);
    expect(recorded).toEqual([]);
  });

  it('that is unavailable makes the check fail, since answer and list would differ', async () => {
    recordBy(() => Promise.reject(new Error('database away')));
    await expect(check(name)).rejects.toThrow('database away');
  });
});

describe('a lookup for a watch', () => {
  it('is always live, and within its timeout', async () => {
    await lookup.forWatch(name, watching());
    await lookup.forWatch(name, watching(null, 1_000));
    expect(registry.calls.map((call) => call.timeoutMs)).toEqual([10_000, 1_000]);
  });
});
