import { describe, expect, it } from '@jest/globals';
import { CacheInvalidationPoller } from '../../../../src/domains/lookup-cache/cache-invalidation-poller.js';
import { LookupCache } from '../../../../src/domains/lookup-cache/lookup-cache.js';
import type { Changes } from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import { found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { observation } from '../../../support/builders/observations.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { LocalLookupCoordinator } from './local-lookup-coordinator.js';

const SETTLED_AT = new Date('2026-11-23T10:00:00.000Z');
const secondsBefore = (seconds: number) => new Date(SETTLED_AT.getTime() - seconds * 1_000);

class RecordedPolls extends LocalLookupCoordinator {
  readonly since: (Date | null)[] = [];
  names: Changes['names'] = [];

  override findChanges(since: Date | null = null): Promise<Changes> {
    this.since.push(since);
    return Promise.resolve({ names: this.names, settledUntil: SETTLED_AT });
  }
}

function setUp() {
  const [coordinator, cache] = [new RecordedPolls(), new LookupCache()];
  const store = (domain: string, observedAt: Date) => {
    cache.update(DomainName.restore(domain), observation(found(), observedAt));
  };
  const clock = new TestClock(SETTLED_AT.toISOString());
  const poller = new CacheInvalidationPoller(coordinator, cache, clock);
  return { coordinator, cache, store, clock, poll: () => poller.poll() };
}

describe('a poll for changes', () => {
  it('trusts nothing that is cached after a while without polls, in which the machine may have slept', async () => {
    const { cache, store, clock, poll } = setUp();
    store('one.example', secondsBefore(5));
    await poll();
    clock.advance(6_000);
    await poll();
    expect(cache.isEmpty).toBe(true);
  });

  it('forgets what was stored before the clock was put back, which would look new once it catches up', async () => {
    const { clock, cache, store, poll } = setUp();
    await poll();
    store('one.example', clock.now());
    await poll();
    expect(cache.isEmpty).toBe(false);
    const before = clock.now();
    clock.advance(-3_600_000);
    await poll();
    expect(cache.isEmpty).toBe(true);
    store('one.example', before); // by a process that has not noticed yet
    await poll();
    expect(cache.isEmpty).toBe(true);
  });

  it('asks for all of the lookback, and then from where the last one is complete', async () => {
    const { coordinator, store, poll } = setUp();
    store('one.example', secondsBefore(5));
    await poll();
    await poll();
    expect(coordinator.since).toEqual([null, SETTLED_AT]);
  });

  it('goes back to a lookup that was stored late, and may have missed a change that was read', async () => {
    const { coordinator, cache, store, poll } = setUp();
    store('quick.example', secondsBefore(0));
    await poll();
    coordinator.names = [{ domain: 'slow.example', observedAtMs: secondsBefore(2).getTime() }];
    store('slow.example', secondsBefore(5));
    await poll();
    await poll();
    expect(coordinator.since).toEqual([null, secondsBefore(6), SETTLED_AT]);
    expect(cache.get(DomainName.restore('slow.example'))).toBeNull();
  });

  it('does not go back to what was stored from the table', async () => {
    const { coordinator, store, poll } = setUp();
    store('quick.example', secondsBefore(0));
    await poll();
    await poll();
    store('shared.example', secondsBefore(15));
    await poll();
    expect(coordinator.since).toEqual([null, SETTLED_AT, SETTLED_AT]);
  });

  it('asks for the same again after a failure', async () => {
    const { coordinator, store, poll } = setUp();
    store('quick.example', secondsBefore(0));
    await poll();
    store('slow.example', secondsBefore(5));
    const answer = coordinator.findChanges.bind(coordinator);
    coordinator.findChanges = () => Promise.reject(new Error('no database'));
    await expect(poll()).rejects.toThrow('no database');
    coordinator.findChanges = answer;
    await poll();
    expect(coordinator.since).toEqual([null, secondsBefore(6)]);
  });

  it('asks nothing while nothing is stored, and for all of the lookback afterwards', async () => {
    const { coordinator, cache, store, poll } = setUp();
    store('one.example', secondsBefore(1));
    await poll();
    cache.clear();
    await poll();
    store('two.example', secondsBefore(1));
    await poll();
    expect(coordinator.since).toEqual([null, null]);
  });
});
