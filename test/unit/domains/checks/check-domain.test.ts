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
  it('returns the status, the lifecycle phase, the registry’s facts and the age of the answer', async () => {
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

  it('answers "reserved" for a reserved name, which a watchlist shows as registered', async () => {
    registry.facts = reserved;
    expect(await check(name)).toMatchObject({ status: 'reserved', lifecycle: { status: 'registered' } });
  });

  it('gives the registry ten seconds to answer', async () => {
    await check(name);
    expect(registry.calls).toEqual([{ name: 'example.com', timeoutMs: 10_000 }]);
  });

  it.each([
    ['registered', found(), 900],
    ['available', absent, 60],
    ['in pending delete', found({ statuses: ['pending delete'] }), 60],
    ['in redemption', found({ statuses: ['redemption period'] }), 60],
    ['reserved', reserved, 3_600],
  ])('uses a cached answer until its cache time ends, for a name that is %s', async (_what, facts, seconds) => {
    registry.facts = facts;
    await check(name);
    clock.advance(seconds * SECOND);
    expect(await check(name)).toMatchObject({ ageSeconds: seconds });
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    expect(await check(name)).toMatchObject({ ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('computes the status from a cached answer for the time of the check, not of the lookup', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 30 * DAY + 100 * SECOND) });
    expect(await check(name)).toMatchObject({ status: 'registered' });
    clock.advance(100 * SECOND);
    expect(await check(name)).toMatchObject({ status: 'expiring', ageSeconds: 100 });
  });

  it('uses no cached answer older than max_age, and none at all if max_age is 0', async () => {
    await check(name);
    await check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
    clock.advance(10 * SECOND);
    await check(name, { maxAgeSeconds: 10 });
    expect(registry.calls).toHaveLength(2);
    await check(name, { maxAgeSeconds: 9 });
    expect(registry.calls).toHaveLength(3);
  });

  it('asks the registry again after the cache time, even if max_age is longer', async () => {
    registry.facts = absent;
    await check(name);
    clock.advance(61 * SECOND);
    await check(name, { maxAgeSeconds: 86_400 });
    expect(registry.calls).toHaveLength(2);
  });

  it('asks the registry again if the clock was put back after the cached answer', async () => {
    registry.facts = absent;
    await check(name);
    clock.advance(-3_600 * SECOND);
    registry.facts = found({});
    expect(await check(name)).toMatchObject({ status: 'registered' });
    clock.advance(3_600 * SECOND);
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });

  it('keeps a cached answer for a hundredth of the usual time if TIME_SCALE is 100', async () => {
    build({ TIME_SCALE: '100' });
    await check(name);
    clock.advance(9 * SECOND);
    await check(name);
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    await check(name);
    expect(registry.calls).toHaveLength(2);
  });

  it('returns an error without a status if the lookup fails, and does not cache the error', async () => {
    registry.facts = null;
    expect(await check(name)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.facts = absent;
    expect(await check(name)).toMatchObject({ status: 'available' });
  });

  it('uses the earlier cached answer even if a lookup failed in between', async () => {
    await check(name);
    registry.facts = null;
    expect(await check(name, { maxAgeSeconds: 0 })).toMatchObject({ kind: 'failure' });
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });

  it('uses a cached answer no longer than a simulated registry stays the same', async () => {
    registry.recheckWithinMs = 5 * SECOND;
    await check(name);
    clock.advance(5 * SECOND);
    expect(await check(name)).toMatchObject({ ageSeconds: 5 });
    clock.advance(1);
    expect(await check(name)).toMatchObject({ ageSeconds: 0 });
  });

  it('sends one registry query for 100 simultaneous checks of the same name', async () => {
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

  it.each([0, 1])('starts a new lookup if a running lookup is older than max_age: %d s', async (maxAgeSeconds) => {
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

  it('waits for a running lookup of any age if no max_age is given', async () => {
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

  it('does not use a running or cached lookup of another account', async () => {
    const both = await Promise.all([check(name), check(name, { accountId: 'acc_2' })]);
    expect(both).toMatchObject([{ status: 'registered' }, { status: 'registered' }]);
    await check(name, { accountId: 'acc_3' });
    expect(registry.calls).toHaveLength(3);
    await check(name, { accountId: 'acc_2' });
    expect(registry.calls).toHaveLength(3);
  });

  it('asks the registry again once another account’s lookup got a different answer', async () => {
    await check(name);
    clock.advance(SECOND);
    await check(name, { accountId: 'acc_2' });
    expect(await check(name)).toMatchObject({ ageSeconds: 1 }); // which said the same
    registry.facts = found({ statuses: ['pending delete'] });
    clock.advance(SECOND);
    await check(name, { accountId: 'acc_2', maxAgeSeconds: 0 });
    expect(await check(name)).toMatchObject({ status: 'pending_delete', ageSeconds: 0 });
  });

  it('starts a new lookup after one that threw an error', async () => {
    registry.answerGate = Promise.reject(new Error('a bug'));
    await expect(check(name)).rejects.toThrow('a bug');
    registry.answerGate = Promise.resolve();
    expect(await check(name)).toMatchObject({ status: 'registered' });
  });
});

describe('the watchlist', () => {
  const recordBy = (recordCheck: Watchlist['recordCheck']) => link.connect({ ...link.watchlist, recordCheck });

  it('records a check’s result or failure before the check is answered', async () => {
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

  it('records neither cached answers nor lookups for watched names', async () => {
    const recorded: LookupResult[] = [];
    await check(name);
    recordBy(async (_name, result) => void recorded.push(result));
    await lookup.forWatch(name, watching());
    await check(name);
    expect(recorded).toEqual([]);
  });

  it('makes the check fail if the watchlist cannot record the answer', async () => {
    recordBy(() => Promise.reject(new Error('database away')));
    await expect(check(name)).rejects.toThrow('database away');
  });
});

describe('a lookup for a watched name', () => {
  it('always asks the registry, with the given timeout or ten seconds', async () => {
    await lookup.forWatch(name, watching());
    await lookup.forWatch(name, watching(null, 1_000));
    expect(registry.calls.map((call) => call.timeoutMs)).toEqual([10_000, 1_000]);
  });
});
