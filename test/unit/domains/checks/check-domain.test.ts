import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import type { RefreshDomain } from '../../../../src/domains/checks/refresh-domain.js';
import { type Watchlist, WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { after, DAY, SECOND } from '../../../../src/kernel/clock.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { buildChecks, ScriptedRegistryLookup } from './scripted-ports.js';

const name = DomainName.restore('example.com');

let clock: TestClock;
let registry: ScriptedRegistryLookup;
let link: WatchlistLink;
let checks: CheckDomain;
let refresh: RefreshDomain;

function build(settings: Record<string, string> = {}): void {
  ({ checks, refresh } = buildChecks({ registry, clock, link, settings }));
}

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
    expect(await checks.check(name)).toMatchObject({
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
    expect(await checks.check(name)).toMatchObject({ status: 'reserved', lifecycle: { status: 'registered' } });
  });

  it('gives a registry ten seconds', async () => {
    await checks.check(name);
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
      await checks.check(name);
      clock.advance(seconds * SECOND);
      expect(await checks.check(name)).toMatchObject({ ageSeconds: seconds });
      expect(registry.calls).toHaveLength(1);
      clock.advance(1);
      expect(await checks.check(name)).toMatchObject({ ageSeconds: 0 });
      expect(registry.calls).toHaveLength(2);
    },
  );

  it('has the phase of its own time, not that of the lookup', async () => {
    registry.facts = found({ expiresAt: after(clock.now(), 30 * DAY + 100 * SECOND) });
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
    clock.advance(100 * SECOND);
    expect(await checks.check(name)).toMatchObject({ status: 'expiring', ageSeconds: 100 });
  });

  it('accepts no answer older than max_age, and none at all with 0', async () => {
    await checks.check(name);
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
    clock.advance(10 * SECOND);
    await checks.check(name, { maxAgeSeconds: 10 });
    expect(registry.calls).toHaveLength(2);
    await checks.check(name, { maxAgeSeconds: 9 });
    expect(registry.calls).toHaveLength(3);
  });

  it('is not served stale because of a higher max_age', async () => {
    registry.facts = absent;
    await checks.check(name);
    clock.advance(61 * SECOND);
    await checks.check(name, { maxAgeSeconds: 86_400 });
    expect(registry.calls).toHaveLength(2);
  });

  it('is looked up again after the clock was put back, and not only when that has caught up', async () => {
    registry.facts = absent;
    await checks.check(name);
    clock.advance(-3_600 * SECOND);
    registry.facts = found({});
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
    clock.advance(3_600 * SECOND);
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
  });

  it('ages faster with a time scale', async () => {
    build({ TIME_SCALE: '100' });
    await checks.check(name);
    clock.advance(9 * SECOND);
    await checks.check(name);
    expect(registry.calls).toHaveLength(1);
    clock.advance(1);
    await checks.check(name);
    expect(registry.calls).toHaveLength(2);
  });

  it('that fails is an error without a status, and is not cached', async () => {
    registry.facts = null;
    expect(await checks.check(name)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.facts = absent;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
  });

  it('that fails leaves a fresh cached answer alone', async () => {
    await checks.check(name);
    registry.facts = null;
    expect(await checks.check(name, { maxAgeSeconds: 0 })).toMatchObject({ kind: 'failure' });
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
  });

  it('is answered from the cache for no longer than a simulated registry stays as it is', async () => {
    registry.recheckWithinMs = 5 * SECOND;
    await checks.check(name);
    clock.advance(5 * SECOND);
    expect(await checks.check(name)).toMatchObject({ ageSeconds: 5 });
    clock.advance(1);
    expect(await checks.check(name)).toMatchObject({ ageSeconds: 0 });
  });

  it('sends one query for simultaneous requests', async () => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const simultaneous = Array.from({ length: 100 }, () => checks.check(name, { maxAgeSeconds: 0 }));
    const other = checks.check(DomainName.restore('example.org'));
    answer.resolve();
    const outcomes = await Promise.all(simultaneous);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['result']));
    await other;
    expect(registry.calls.map((call) => call.name)).toEqual(['example.com', 'example.org']);
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(registry.calls).toHaveLength(3);
  });

  it.each([0, 1])('is no older than %d s when it joins a lookup in flight', async (maxAgeSeconds) => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const first = checks.check(name);
    await new Promise(setImmediate); // the lookup is in flight
    clock.advance(3 * SECOND);
    registry.facts = absent;
    const late = Array.from({ length: 100 }, () => checks.check(name, { maxAgeSeconds }));
    const patient = checks.check(name);
    answer.resolve();
    expect(await first).toMatchObject({ status: 'registered' });
    expect(await patient).toMatchObject({ status: 'registered', ageSeconds: 3 });
    for (const outcome of await Promise.all(late))
      expect(outcome).toMatchObject({ status: 'available', ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('that fails answers all waiting requests, without a second query', async () => {
    const answer = Promise.withResolvers<void>();
    Object.assign(registry, { answerGate: answer.promise, facts: null });
    const first = checks.check(name);
    await new Promise(setImmediate); // the lookup is in flight
    clock.advance(3 * SECOND);
    const late = checks.check(name, { maxAgeSeconds: 0 });
    answer.resolve();
    expect((await Promise.all([first, late])).map(({ kind }) => kind)).toEqual(['failure', 'failure']);
    expect(registry.calls).toHaveLength(1);
  });

  it('looks up again after a lookup that threw', async () => {
    registry.answerGate = Promise.reject(new Error('a bug'));
    await expect(checks.check(name)).rejects.toThrow('a bug');
    registry.answerGate = Promise.resolve();
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
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
    await checks.check(name);
    expect(recorded).toEqual(['example.com observation']);
    registry.facts = null;
    await checks.check(name, { maxAgeSeconds: 0 });
    expect(recorded).toEqual(['example.com observation', 'example.com failure']);
  });

  it('records no cached answers and no lookups of a watch', async () => {
    const recorded: LookupResult[] = [];
    recordBy(async (_name, result) => void recorded.push(result));
    await refresh.run(name);
    await checks.check(name);
    expect(recorded).toEqual([]);
  });

  it.each<[string, Watchlist['recordCheck']]>([
    ['is away', () => Promise.reject(new Error('database away'))],
    [
      'has a bug',
      () => {
        throw new Error('a bug');
      },
    ],
  ])('does not affect the answer when it %s', async (_what, recordCheck) => {
    recordBy(recordCheck);
    expect(await checks.check(name)).toMatchObject({ status: 'registered' });
  });
});

describe('a refresh for a watch', () => {
  const deleted = found({ statuses: ['pending delete'] });

  it('is always live, within its timeout, and updates the cache of checks', async () => {
    await refresh.run(name);
    registry.facts = deleted;
    await refresh.run(name, 1_000);
    expect(registry.calls.map((call) => call.timeoutMs)).toEqual([10_000, 1_000]);
    expect(await checks.check(name)).toMatchObject({ status: 'pending_delete', ageSeconds: 0 });
    expect(registry.calls).toHaveLength(2);
  });

  it('that was overtaken by a later one does not restore the old answer', async () => {
    const answer = Promise.withResolvers<void>();
    registry.answerGate = answer.promise;
    const slow = refresh.run(name);
    registry.answerGate = Promise.resolve();
    registry.facts = deleted;
    clock.advance(SECOND);
    await refresh.run(name);
    answer.resolve();
    await slow;
    expect(await checks.check(name)).toMatchObject({ status: 'pending_delete' });
  });
});
