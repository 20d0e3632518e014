import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import type { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import { absent, found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { buildChecks, ScriptedRegistryLookup, ScriptedZones, watching } from './scripted-ports.js';

let clock: TestClock;
let zones: ScriptedZones;
let registry: ScriptedRegistryLookup;
let checks: CheckDomain;
let lookup: DomainLookup;

beforeEach(() => {
  clock = new TestClock();
  zones = new ScriptedZones(clock);
  registry = new ScriptedRegistryLookup(clock);
  registry.facts = absent;
  zones.says = 'denies';
  ({ checks, lookup } = buildChecks({ registry, zones, clock }));
});

const named = (domain: string) => DomainName.restore(domain);
const check = (domain: string) => checks.check(named(domain), { maxAgeSeconds: 0, accountId: 'acc_1' });
const finds = async (domain: string) => {
  registry.facts = found();
  await check(domain);
  registry.facts = absent;
};
/** The registry has no record of anything any more. */
const deniesAll = () => (registry.canaryAnswer = () => absent);
const MISSING = { kind: 'failure', doubt: 'canary_missing' };

describe('a canary that was found while the answer was under way', () => {
  /** The question waits; another name is found in between; then the registry breaks, and answers. */
  const answersLate = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    const gate = Promise.withResolvers<void>();
    registry.answerGate = gate.promise;
    const answer = ask();
    await new Promise(setImmediate);
    registry.answerGate = Promise.resolve();
    clock.advance(SECOND);
    await finds('other.com');
    clock.advance(SECOND);
    deniesAll();
    gate.resolve();
    return answer;
  };

  it('counts as found before the answer, for a check', async () => {
    zones.says = 'silent';
    registry.facts = absent;
    expect(await answersLate(() => check('example.com'))).toMatchObject(MISSING);
  });

  it('counts as found before the answer, for the second lookup of a watch', async () => {
    const firstSeenAt = clock.now();
    expect(await answersLate(() => lookup.forWatch(named('example.com'), watching()))).toMatchObject({ facts: absent });
    clock.advance(MINUTE);
    expect(await lookup.forWatch(named('example.com'), watching(firstSeenAt))).toMatchObject(MISSING);
  });

  it('confirms a drop without another lookup if that was long after the first look', async () => {
    const firstSeenAt = clock.now();
    await lookup.forWatch(named('example.com'), watching());
    clock.advance(30 * SECOND);
    await finds('other.com');
    clock.advance(30 * SECOND);
    expect(await lookup.forWatch(named('example.com'), watching(firstSeenAt))).toMatchObject({ facts: absent });
    expect(registry.canaries).toEqual([]);
  });
});

describe('a canary that is being asked about', () => {
  const atOnce = async () => {
    await finds('other.com');
    clock.advance(11 * MINUTE);
    const gate = Promise.withResolvers<void>();
    registry.canaryGate = gate.promise;
    const answers: ReturnType<typeof check>[] = [];
    for (let i = 0; i < 20; i += 1) {
      answers.push(check(`free${i}.com`));
      await new Promise(setImmediate);
      clock.advance(10);
    }
    gate.resolve();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 'available' });
    return registry.canaries.length;
  };

  it.each(['denies', 'silent'] as const)(
    'is shared by names that are reported missing a moment later: %s',
    async (says) => {
      zones.says = says;
      expect(await atOnce()).toBe(1);
    },
  );
});

describe('a registry that denies one of its zones', () => {
  it('is not proven by its own name in the zone above, if a name of that zone is missing', async () => {
    zones.holds.add('nic.uk');
    await finds('kept.co.uk');
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = (domain) => (domain === 'nic.uk' ? found() : absent);
    expect(await check('example.co.uk')).toMatchObject(MISSING);
  });

  it('asks about names of the zone again, after its own name had to do', async () => {
    zones.holds.add('nic.uk');
    expect(await check('example.co.uk')).toMatchObject({ status: 'available' });
    await finds('kept.co.uk');
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = (domain) => (domain === 'nic.uk' ? found() : absent);
    expect(await check('example.co.uk')).toMatchObject(MISSING);
    expect(registry.canaries).toEqual(['nic.uk', 'kept.co.uk']);
  });
});

describe('a private zone', () => {
  it('is never queried in the public DNS, not even for the registry’s own name', async () => {
    registry.isPrivateZone = true;
    zones.holds.add('nic.lan');
    deniesAll();
    expect(await check('example.lan')).toMatchObject({ status: 'available' });
    expect([zones.calls, registry.canaries]).toEqual([[], []]);
  });
});

describe('a canary that was deleted', () => {
  const drops = async (domain: string) => {
    const firstSeenAt = clock.now();
    await lookup.forWatch(named(domain), watching());
    clock.advance(MINUTE);
    return lookup.forWatch(named(domain), watching(firstSeenAt));
  };

  beforeEach(async () => {
    zones.says = null;
    await finds('one.lan');
    clock.advance(MINUTE);
    await finds('two.lan');
    clock.advance(MINUTE);
    registry.canaryAnswer = (domain) => (domain === 'one.lan' ? absent : found());
  });

  it.each([
    ['a watch confirmed its drop', () => drops('one.lan')],
    ['a check said that it is available', () => check('one.lan')],
  ])('is no longer used once %s', async (_when, believe) => {
    expect(await believe()).not.toMatchObject({ kind: 'failure' });
    registry.canaryAnswer = () => absent;
    clock.advance(11 * MINUTE);
    expect(await drops('two.lan')).toMatchObject({ facts: absent });
  });

  it('is still used if nothing else proves that the registry works', async () => {
    registry.canaryAnswer = () => absent;
    clock.advance(11 * MINUTE);
    expect(await check('one.lan')).toMatchObject(MISSING);
    clock.advance(11 * MINUTE);
    expect(await check('third.lan')).toMatchObject(MISSING);
  });
});
