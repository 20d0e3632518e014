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

describe('another name that was just found registered', () => {
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

  it('does not confirm the not-found answer of a check if found before the answer came', async () => {
    zones.says = 'silent';
    registry.facts = absent;
    expect(await answersLate(() => check('example.com'))).toMatchObject(MISSING);
  });

  it('does not confirm a watch’s second not-found answer if found before the first answer came', async () => {
    const firstSeenAt = clock.now();
    expect(await answersLate(() => lookup.forWatch(named('example.com'), watching()))).toMatchObject({ facts: absent });
    clock.advance(MINUTE);
    expect(await lookup.forWatch(named('example.com'), watching(firstSeenAt))).toMatchObject(MISSING);
  });

  it('confirms a watch’s second not-found answer if found 30 seconds after the first answer', async () => {
    const firstSeenAt = clock.now();
    await lookup.forWatch(named('example.com'), watching());
    clock.advance(30 * SECOND);
    await finds('other.com');
    clock.advance(30 * SECOND);
    expect(await lookup.forWatch(named('example.com'), watching(firstSeenAt))).toMatchObject({ facts: absent });
    expect(registry.canaries).toEqual([]);
  });
});

describe('the lookup of a name known to be registered', () => {
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
    'is made once for twenty checks that begin meanwhile, if the parent zone’s answer is: %s',
    async (says) => {
      zones.says = says;
      expect(await atOnce()).toBe(1);
    },
  );
});

describe('a registry that lost all names under co.uk', () => {
  it('is not trusted if a known co.uk name is missing, even if its own nic.uk is found', async () => {
    zones.holds.add('nic.uk');
    await finds('kept.co.uk');
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = (domain) => (domain === 'nic.uk' ? found() : absent);
    expect(await check('example.co.uk')).toMatchObject(MISSING);
  });

  it('is tested with a co.uk name, once one is known, instead of its own nic.uk', async () => {
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

describe('a known registered name that was deleted', () => {
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
    ['a watch confirmed that the name is free', () => drops('one.lan')],
    ['a check answered that the name is available', () => check('one.lan')],
  ])('is no longer used to test the registry once %s', async (_when, believe) => {
    expect(await believe()).not.toMatchObject({ kind: 'failure' });
    registry.canaryAnswer = () => absent;
    clock.advance(11 * MINUTE);
    expect(await drops('two.lan')).toMatchObject({ facts: absent });
  });

  it('still makes not-found answers fail if the registry finds no other known name', async () => {
    registry.canaryAnswer = () => absent;
    clock.advance(11 * MINUTE);
    expect(await check('one.lan')).toMatchObject(MISSING);
    clock.advance(11 * MINUTE);
    expect(await check('third.lan')).toMatchObject(MISSING);
  });
});
