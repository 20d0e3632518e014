import { describe, expect, it } from '@jest/globals';
import { absent, found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { HOUR, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { DatabaseUnavailable } from '../../../../src/kernel/unit-of-work.js';
import { WatchedName } from '../../../../src/watchlist/domain/watched-name.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { aSchedule } from '../../watchlist/builders.js';
import {
  buildChecks,
  InMemoryCanaries,
  InMemoryLookups,
  linkTo,
  ScriptedRegistryLookup,
  ScriptedZones,
  watching,
} from './scripted-ports.js';

const name = DomainName.restore('example.com');

/** Everything that a lookup waits for, which may end with its process or its database at any step. */
class Steps {
  taken = 0;
  /** The step at which everything ends; counted from 1. */
  endsAt = Infinity;

  /** Each method of a port is a step. Half of the ways to end are before it is done, half after. */
  watch<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, property, self) => {
        const member: unknown = Reflect.get(target, property, self);
        if (typeof member !== 'function') return member;
        return async (...values: unknown[]) => {
          const step = (this.taken += 1);
          if (step === this.endsAt) throw new DatabaseUnavailable('gone before', { cause: null });
          const done: unknown = await Reflect.apply(member, target, values);
          if (step + 0.5 === this.endsAt) throw new DatabaseUnavailable('gone after', { cause: null });
          return done;
        };
      },
    });
  }
}

function world() {
  const clock = new TestClock();
  const steps = new Steps();
  const registry = new ScriptedRegistryLookup(clock);
  const zones = new ScriptedZones(clock);
  zones.says = 'silent';
  registry.facts = absent;
  const link = linkTo({ recordCheck: steps.watch({ record: async () => undefined }).record });
  const ports = {
    registry: steps.watch<ScriptedRegistryLookup>(registry),
    zones: steps.watch<ScriptedZones>(zones),
    canaries: steps.watch(new InMemoryCanaries()),
    lookups: steps.watch(new InMemoryLookups(clock)),
  };
  const { checks, lookup } = buildChecks({ ...ports, clock, link });
  const check = (domain = name) => checks.check(domain, { maxAgeSeconds: 0, accountId: 'acc_1' });
  const knows = async () => {
    registry.facts = found();
    await check(DomainName.restore('kept.com'));
    registry.facts = absent;
    clock.advance(11 * MINUTE);
    steps.taken = 0;
  };
  return { clock, steps, registry, zones, check, lookup, knows };
}
type World = ReturnType<typeof world>;

/** Runs the work once for each step at which it may end, in a new world each time. */
async function atEachStep(work: (world: World) => Promise<unknown>, then: (world: World) => Promise<void>) {
  let steps = 1;
  for (let endsAt = 1; endsAt <= steps + 0.5; endsAt += 0.5) {
    const current = world();
    await current.knows();
    current.steps.endsAt = endsAt;
    await expect(work(current)).rejects.toBeInstanceOf(DatabaseUnavailable);
    if (endsAt === 1) steps = await countSteps(work);
    current.steps.endsAt = Infinity;
    await then(current);
  }
  return steps;
}

async function countSteps(work: (world: World) => Promise<unknown>): Promise<number> {
  const current = world();
  await current.knows();
  await work(current);
  return current.steps.taken;
}

describe('a check that loses the database at any step', () => {
  it('fails, and the next check of a free name answers "available"', async () => {
    const steps = await atEachStep(
      ({ check }) => check(),
      async ({ check }) => expect(await check()).toMatchObject({ status: 'available' }),
    );
    expect(steps).toBeGreaterThan(8);
  });

  it('fails, and later checks still do not trust a registry that lacks a known registered name', async () => {
    await atEachStep(
      ({ check, registry }) => {
        registry.canaryAnswer = () => absent;
        return check();
      },
      async ({ check, clock }) => {
        expect(await check()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
        clock.advance(11 * MINUTE);
        expect(await check()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
      },
    );
  });
});

describe('a watch’s lookup that loses the database', () => {
  it('does not count; two later complete lookups confirm that the name is free', async () => {
    const watched = ({ clock }: World) => WatchedName.create(name, 'example', 60, clock.now());
    const look = async ({ lookup, clock }: World, one: WatchedName) => {
      const result: LookupResult = await lookup.forWatch(name, watching(one.absentSince), one.facts);
      one.applyResult(result, aSchedule(), clock.now());
      return one.facts?.outcome ?? 'unknown';
    };
    await atEachStep(
      ({ lookup }) => lookup.forWatch(name, watching()),
      async (current) => {
        const one = watched(current);
        expect(await look(current, one)).toBe('unknown');
        current.clock.advance(MINUTE + SECOND);
        current.steps.endsAt = current.steps.taken + 2;
        await expect(look(current, one)).rejects.toBeInstanceOf(DatabaseUnavailable);
        current.steps.endsAt = Infinity;
        expect(await look(current, one)).toBe('absent');
      },
    );
  });
});

describe('a clock that is an hour ahead, and then put back', () => {
  it('makes checks look up a known registered name again instead of using that hour’s results', async () => {
    const { clock, registry, check, knows } = world();
    await knows();
    clock.advance(HOUR);
    registry.canaryAnswer = () => absent;
    expect(await check()).toMatchObject({ doubt: 'canary_missing' });
    clock.advance(-HOUR);
    expect(await check()).toMatchObject({ doubt: 'canary_missing' }); // it is asked again
    registry.canaryAnswer = () => found();
    clock.advance(11 * MINUTE);
    expect(await check()).toMatchObject({ status: 'available' });
    registry.canaryAnswer = () => absent;
    clock.advance(HOUR);
    expect(await check()).toMatchObject({ doubt: 'canary_missing' });
  });
});

describe('a known registered name that comes and goes', () => {
  it('allows "available" only while found, and not yet a second after it was missing', async () => {
    const { clock, registry, check, knows } = world();
    await knows();
    for (let turn = 0; turn < 6; turn += 1) {
      const isFound = turn % 2 === 0;
      registry.canaryAnswer = () => (isFound ? found() : absent);
      clock.advance(11 * MINUTE);
      expect(await check()).toMatchObject(isFound ? { status: 'available' } : { doubt: 'canary_missing' });
      registry.canaryAnswer = () => (isFound ? absent : found());
      clock.advance(SECOND);
      expect(await check()).toMatchObject({ doubt: 'canary_missing' });
    }
  });
});
