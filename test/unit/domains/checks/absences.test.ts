import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import type { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import {
  failedLookup,
  type LookupResult,
  type Observation,
  SIMULATED_TESTIMONY,
} from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found, premium, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { after, DAY, MINUTE, SECOND } from '../../../../src/kernel/clock.js';
import { observation } from '../../../support/builders/observations.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
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
const other = DomainName.restore('other.com');
let clock: TestClock;
let zones: ScriptedZones;
let registry: ScriptedRegistryLookup;
let canaries: InMemoryCanaries;
let lookups: InMemoryLookups;
let notified: LookupResult[];
let checks: CheckDomain;
let lookup: DomainLookup;

beforeEach(() => {
  clock = new TestClock();
  zones = new ScriptedZones(clock);
  registry = new ScriptedRegistryLookup(clock);
  canaries = new InMemoryCanaries();
  lookups = new InMemoryLookups(clock);
  registry.facts = absent;
  notified = [];
  const link = linkTo({ recordCheck: async (_name, result) => void notified.push(result) });
  ({ checks, lookup } = buildChecks({ registry, zones, clock, link, canaries, lookups }));
});

const live = (asked = name) => checks.check(asked, { maxAgeSeconds: 0, accountId: 'acc_1' });
const fresh = () => checks.check(name, { accountId: 'acc_1' });
const observing = (facts: Observation['facts']) => observation(facts, clock.now(), { source: 'whois' });
/** The registry finds a name: from then on it has to find it. */
const finds = async (asked = other, facts = found()) => {
  registry.facts = facts;
  await live(asked);
  registry.facts = absent;
};
const said = (answer: unknown) =>
  (answer as { observation?: Observation; evidence?: Observation['evidence'] }).observation?.evidence ??
  (answer as Observation).evidence;
const rules = (answer: unknown) => said(answer).map(({ source, rule, outcome }) => `${source} ${rule} ${outcome}`);

describe('a check of a name that the registry has no record of', () => {
  it('says available without a second question if the zone denies the name', async () => {
    zones.says = 'denies';
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.repeats).toEqual([]);
  });

  it.each(['silent', null] as const)('asks the registry again where the zone is %s', async (says) => {
    zones.says = says;
    expect(await live()).toMatchObject({
      status: 'available',
      observation: { testimony: { secondAnswer: 'no_record' } },
    });
    expect(registry.repeats).toMatchObject([{ name: 'example.com', first: { absence: { facts: absent } } }]);
    expect(registry.repeats[0]?.timeoutMs).toBeLessThanOrEqual(10_000);
  });

  it('shows the evidence of each witness, in the order of the rule', async () => {
    await finds();
    zones.says = 'silent';
    expect(rules(await live())).toEqual([
      'rdap rdap.rule absent',
      'dns dns.script inconclusive',
      'rdap canary.found found',
      'rdap rdap.rule absent',
    ]);
    zones.says = null;
    expect(rules(await live())[1]).toBe('dns dns.off inconclusive');
  });

  it('is an error and no status if the registry has a record when it is asked again', async () => {
    for (const facts of [found(), reserved]) {
      registry.secondAnswer = () => observing(facts);
      const failure = { kind: 'failure', code: 'registry_answer_unusable', doubt: 'second_answer' };
      expect(await live()).toMatchObject(failure);
    }
  });

  it('fails with the error of the second question, and remains failed', async () => {
    const failure = { code: 'registry_throttled', notSent: 'budget', retryAfterSeconds: 7 } as const;
    registry.secondAnswer = () => ({ ...failedLookup('registry_throttled', 'whois.example', clock.now()), ...failure });
    expect(await live()).toMatchObject({ kind: 'failure', ...failure });
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it('reports a premium name if the second answer says so', async () => {
    registry.secondAnswer = () => observing(premium);
    expect(await live()).toMatchObject({ status: 'available', observation: { facts: { registrable: 'premium' } } });
  });

  it('gives its result to the watchlist unchanged', async () => {
    await live();
    registry.secondAnswer = () => observing(found());
    await live();
    expect(notified).toMatchObject([{ facts: absent, witnesses: 1 }, { doubt: 'second_answer' }]);
  });

  it('forgets an earlier answer that the second answer contradicts', async () => {
    expect(await fresh()).toMatchObject({ status: 'available' });
    registry.secondAnswer = () => observing(found());
    clock.advance(SECOND);
    await live();
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it('needs no other witness in the sandbox', async () => {
    Object.assign(registry, { source: 'sandbox', testimony: SIMULATED_TESTIMONY });
    expect(await live()).toMatchObject({ status: 'available' });
    expect([registry.repeats, registry.canaries, zones.calls]).toEqual([[], [], []]);
  });
});

describe('the zone', () => {
  it('that has the name makes the check an error with the evidence of all witnesses', async () => {
    zones.says = 'has_it';
    const answer = await live();
    const doubt = { code: 'registry_answer_unusable', doubt: 'in_zone', doubted: { facts: absent } };
    expect(answer).toMatchObject({ kind: 'failure', ...doubt, inZoneAt: clock.now() });
    expect(answer).toMatchObject({ evidence: [{ source: 'rdap' }, { source: 'dns' }, { rule: 'canary.found' }] });
  });

  it('that has the name withdraws an earlier "available"', async () => {
    expect(await fresh()).toMatchObject({ status: 'available' });
    zones.says = 'has_it';
    clock.advance(SECOND);
    await live();
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it.each([null, 'silent'] as const)(
    'that had the name prevents "available" while it is %s, for checks and watches',
    async (says) => {
      zones.says = says;
      lookups.inZone.add(name.ascii);
      expect(await live()).toMatchObject({ kind: 'failure', doubt: 'in_zone', doubted: { facts: absent } });
      expect(registry.repeats).toEqual([]);
      expect(await lookup.forWatch(name, watching())).toMatchObject({ kind: 'failure', doubt: 'in_zone' });
      expect(await lookup.forWatch(name, watching())).not.toHaveProperty('inZoneAt');
    },
  );

  it.each([
    ['it denies the name', absent, 'available'],
    ['the registry has a record of it', found(), 'registered'],
  ])('that had the name no longer prevents "available" when %s', async (_when, facts, status) => {
    registry.facts = facts;
    zones.says = 'denies';
    lookups.inZone.add(name.ascii);
    expect(await live()).toMatchObject({ kind: 'result', status });
  });

  it('is not asked about a record, a reservation or a failure', async () => {
    zones.says = 'denies';
    for (const facts of [found(), reserved, null]) {
      registry.facts = facts;
      expect(await live()).not.toMatchObject({ status: 'available' });
    }
    expect(zones.calls).toEqual([]);
  });

  it('gets the time that the registry left, without the wait for the rate limit', async () => {
    registry.admissionGate = () => new Promise((resolve) => setTimeout(resolve, 400));
    await lookup.forWatch(name, watching(null, 300));
    expect(zones.calls[0]?.timeoutMs).toBeGreaterThan(200);
    expect(zones.calls[0]?.timeoutMs).toBeLessThanOrEqual(300);
  });

  it('that had too little time makes the lookup a timeout', async () => {
    Object.assign(zones, { says: 'silent', ranOutOfTime: true });
    const answer = await live();
    expect(answer).toMatchObject({ code: 'registry_timeout', evidence: [{ source: 'rdap' }, { source: 'dns' }, {}] });
    expect(answer).not.toHaveProperty('doubted');
  });

  it.each([
    ['both answers', null, { kind: 'result', status: 'available' }],
    ['one answer', found(), { kind: 'failure', doubt: 'second_answer' }],
  ])('is not asked if it is private: %s of its source decide', async (_, facts, answer) => {
    registry.isPrivateZone = true;
    zones.says = 'has_it';
    lookups.inZone.add(name.ascii); // what the public DNS said once is about another zone
    if (facts) registry.secondAnswer = () => observation(facts, clock.now());
    expect(await live()).toMatchObject(answer);
    expect([zones.calls.filter((call) => call.name === name.ascii), registry.repeats.length]).toEqual([[], 1]);
    expect(await lookup.forWatch(name, watching())).toMatchObject({ kind: 'observation', facts: absent });
  });
});

describe('the canary', () => {
  beforeEach(() => {
    zones.says = 'denies';
  });

  it('is a name that the registry found, and is not asked about again for ten minutes', async () => {
    await finds();
    clock.advance(9 * MINUTE);
    expect(await live()).toMatchObject({
      status: 'available',
      observation: { testimony: { canary: 'found_recently' } },
    });
    expect(registry.canaries).toEqual([]);
    clock.advance(2 * MINUTE);
    expect(await live()).toMatchObject({ status: 'available', observation: { testimony: { canary: 'found_since' } } });
    expect(registry.canaries).toEqual(['other.com']);
  });

  it('is the registry’s own name if no other was found and the zone delegates it', async () => {
    zones.holds.add('nic.com');
    expect(rules(await live())).toContain('rdap canary.found found');
    expect(registry.canaries).toEqual(['nic.com']);
  });

  it('proves nothing and prevents nothing if no name is known to exist', async () => {
    expect(rules(await live())).toContain('rdap canary.unproven inconclusive');
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.canaries).toEqual([]);
  });

  it('that is missing puts the registry in doubt for ten minutes, for all its names', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = () => absent;
    const failure = { kind: 'failure', code: 'registry_answer_unusable', doubt: 'canary_missing' };
    expect(await live()).toMatchObject(failure);
    expect(rules(await live())).toContain('rdap canary.missing absent');
    registry.canaryAnswer = () => found();
    clock.advance(9 * MINUTE);
    expect(await live(DomainName.restore('third.com'))).toMatchObject(failure);
    expect(await live(DomainName.restore('third.net'))).toMatchObject({ status: 'available' });
    expect(registry.canaries).toEqual(['other.com']);
    clock.advance(2 * MINUTE);
    expect(await live()).toMatchObject({ status: 'available' });
  });

  it('that is missing is followed by a second name before the registry is doubted', async () => {
    await finds(DomainName.restore('kept.com'));
    clock.advance(MINUTE);
    await finds(DomainName.restore('deleted.com'));
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = (domain) => (domain === 'deleted.com' ? absent : found());
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.canaries).toEqual(['deleted.com', 'kept.com']);
    clock.advance(11 * MINUTE);
    await live();
    expect(registry.canaries.slice(2)).toEqual(['kept.com']);
  });

  it('is neither the name in question nor a name that expires soon, is being deleted, or was found a month ago', async () => {
    await finds(name);
    clock.advance(MINUTE);
    await finds(DomainName.restore('soon.com'), found({ expiresAt: after(clock.now(), 10 * DAY) }));
    clock.advance(MINUTE);
    await finds(DomainName.restore('dying.com'), found({ statuses: ['pending delete'] }));
    clock.advance(11 * MINUTE);
    expect(rules(await live())).toContain('rdap canary.unproven inconclusive');
    clock.advance(MINUTE);
    await finds();
    clock.advance(31 * DAY);
    expect(rules(await live())).toContain('rdap canary.unproven inconclusive');
    expect(registry.canaries).toEqual([]);
  });

  it('is looked up after the answer if the registry had a record of the name before', async () => {
    registry.facts = found();
    await live();
    await live(other);
    registry.facts = absent;
    clock.advance(SECOND);
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
    expect(registry.canaries).toHaveLength(1);
  });

  it('is looked up after the answer if no zone denies the name', async () => {
    await finds();
    clock.advance(SECOND);
    zones.says = 'silent';
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
  });

  it('is looked up after the answer even if a process with a fast clock found it a moment before', async () => {
    await finds();
    clock.advance(-SECOND);
    zones.says = null;
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
  });

  it('that cannot be looked up makes the lookup fail with the same error, never a status', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = () => failedLookup('registry_timeout', 'rdap.example', clock.now());
    expect(await live()).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.canaryAnswer = () => found();
    expect(await live()).toMatchObject({ status: 'available' });
  });

  it('that is sent late because of the rate limit serves the next lookup', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    const gate = Promise.withResolvers<void>();
    registry.canaryGate = gate.promise;
    const tooLate = await lookup.forWatch(name, watching(null, 20));
    expect(tooLate).toMatchObject({ code: 'registry_throttled', notSent: 'budget' });
    gate.resolve();
    await new Promise(setImmediate);
    expect(await lookup.forWatch(name, watching(null, 20))).toMatchObject({ kind: 'observation' });
    expect(registry.canaries).toEqual(['other.com']);
  });

  it('is one question for all lookups that need it at once', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    const names = Array.from({ length: 20 }, (_, i) => DomainName.restore(`free${i}.com`));
    const answers = await Promise.all(names.map((one) => live(one)));
    expect(new Set(answers.map((answer) => 'status' in answer && answer.status))).toEqual(new Set(['available']));
    expect(registry.canaries).toEqual(['other.com']);
  });

  it('is never a name that another account looked up', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    expect(JSON.stringify(said(await live()))).not.toContain('other.com');
  });

  it('of a source of an extension is a name that this source found', async () => {
    registry.source = 'acme';
    await finds();
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
    registry.source = 'rdap';
    expect(await live()).toMatchObject({ status: 'available' });
  });
});

describe('the lookup of a watch', () => {
  it('asks the registry once, whatever the zone says', async () => {
    await lookup.forWatch(name, watching());
    expect([registry.calls.length, registry.repeats.length]).toEqual([1, 0]);
  });

  it('is not used to answer a check of an account', async () => {
    zones.says = 'denies';
    await lookup.forWatch(name, watching());
    expect(await fresh()).toMatchObject({ status: 'available' });
    expect(registry.calls).toHaveLength(2);
  });

  it('confirms a drop only with a canary that was looked up after the drop was first seen', async () => {
    zones.says = 'denies';
    await finds();
    const firstSeenAt = after(clock.now(), SECOND);
    clock.advance(MINUTE);
    registry.canaryAnswer = () => absent;
    expect(await lookup.forWatch(name, watching())).toMatchObject({ kind: 'observation' });
    expect(await lookup.forWatch(name, watching(firstSeenAt))).toMatchObject({ doubt: 'canary_missing' });
  });

  it('that finds other facts invalidates the cached answer of a check', async () => {
    registry.facts = found();
    expect(await fresh()).toMatchObject({ status: 'registered' });
    clock.advance(SECOND);
    registry.facts = found({ statuses: ['pending delete'] });
    await lookup.forWatch(name, watching(), found());
    expect(await fresh()).toMatchObject({ status: 'pending_delete' });
    expect(registry.calls).toHaveLength(3);
  });
});
