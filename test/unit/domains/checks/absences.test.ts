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

describe('a check with a not-found answer of the registry', () => {
  it('answers "available" after one registry query if DNS denies the name too', async () => {
    zones.says = 'denies';
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.repeats).toEqual([]);
  });

  it.each(['silent', null] as const)(
    'asks the registry a second time if the answer of the parent zone is: %s',
    async (says) => {
      zones.says = says;
      expect(await live()).toMatchObject({
        status: 'available',
        observation: { testimony: { secondAnswer: 'no_record' } },
      });
      expect(registry.repeats).toMatchObject([{ name: 'example.com', first: { absence: { facts: absent } } }]);
      expect(registry.repeats[0]?.timeoutMs).toBeLessThanOrEqual(10_000);
    },
  );

  it('shows as evidence registry, DNS, a known registered name and the second registry answer, in order', async () => {
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

  it('fails without a status if the registry’s second answer is a record or a reservation', async () => {
    for (const facts of [found(), reserved]) {
      registry.secondAnswer = () => observing(facts);
      const failure = { kind: 'failure', code: 'registry_answer_unusable', doubt: 'second_answer' };
      expect(await live()).toMatchObject(failure);
    }
  });

  it('fails with the error of the second registry query, and the next check fails too', async () => {
    const failure = { code: 'registry_throttled', notSent: 'budget', retryAfterSeconds: 7 } as const;
    registry.secondAnswer = () => ({ ...failedLookup('registry_throttled', 'whois.example', clock.now()), ...failure });
    expect(await live()).toMatchObject({ kind: 'failure', ...failure });
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it('reports a premium name if the second registry answer says so', async () => {
    registry.secondAnswer = () => observing(premium);
    expect(await live()).toMatchObject({ status: 'available', observation: { facts: { registrable: 'premium' } } });
  });

  it('gives its answer or failure to the watchlist too', async () => {
    await live();
    registry.secondAnswer = () => observing(found());
    await live();
    expect(notified).toMatchObject([{ facts: absent, witnesses: 1 }, { doubt: 'second_answer' }]);
  });

  it('removes an earlier cached "available" if the second registry answer is a record', async () => {
    expect(await fresh()).toMatchObject({ status: 'available' });
    registry.secondAnswer = () => observing(found());
    clock.advance(SECOND);
    await live();
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it('answers "available" without further queries for a sandbox name', async () => {
    Object.assign(registry, { source: 'sandbox', testimony: SIMULATED_TESTIMONY });
    expect(await live()).toMatchObject({ status: 'available' });
    expect([registry.repeats, registry.canaries, zones.calls]).toEqual([[], [], []]);
  });
});

describe('the parent zone in DNS', () => {
  it('makes the check fail, with all evidence, if the zone has a name that the registry lacks', async () => {
    zones.says = 'has_it';
    const answer = await live();
    const doubt = { code: 'registry_answer_unusable', doubt: 'in_zone', doubted: { facts: absent } };
    expect(answer).toMatchObject({ kind: 'failure', ...doubt, inZoneAt: clock.now() });
    expect(answer).toMatchObject({ evidence: [{ source: 'rdap' }, { source: 'dns' }, { rule: 'canary.found' }] });
  });

  it('removes an earlier cached "available" if the zone now has the name', async () => {
    expect(await fresh()).toMatchObject({ status: 'available' });
    zones.says = 'has_it';
    clock.advance(SECOND);
    await live();
    expect(await fresh()).toMatchObject({ kind: 'failure' });
  });

  it.each([null, 'silent'] as const)(
    'prevents "available" if the zone had the name before, and its answer now is: %s',
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
    ['the zone no longer has the name', absent, 'available'],
    ['the registry has a record of the name', found(), 'registered'],
  ])('no longer makes a check fail for a name that it had before, once %s', async (_when, facts, status) => {
    registry.facts = facts;
    zones.says = 'denies';
    lookups.inZone.add(name.ascii);
    expect(await live()).toMatchObject({ kind: 'result', status });
  });

  it('is not queried if the registry answers with a record, a reservation or an error', async () => {
    zones.says = 'denies';
    for (const facts of [found(), reserved, null]) {
      registry.facts = facts;
      expect(await live()).not.toMatchObject({ status: 'available' });
    }
    expect(zones.calls).toEqual([]);
  });

  it('gets the remaining time of the lookup, from which rate-limit waits are not deducted', async () => {
    registry.admissionGate = () => new Promise((resolve) => setTimeout(resolve, 400));
    await lookup.forWatch(name, watching(null, 300));
    expect(zones.calls[0]?.timeoutMs).toBeGreaterThan(200);
    expect(zones.calls[0]?.timeoutMs).toBeLessThanOrEqual(300);
  });

  it('makes the check fail as registry_timeout if the zone had too little time to answer', async () => {
    Object.assign(zones, { says: 'silent', ranOutOfTime: true });
    const answer = await live();
    expect(answer).toMatchObject({ code: 'registry_timeout', evidence: [{ source: 'rdap' }, { source: 'dns' }, {}] });
    expect(answer).not.toHaveProperty('doubted');
  });

  it.each([
    ['two not-found answers', null, { kind: 'result', status: 'available' }],
    ['a second answer that differs', found(), { kind: 'failure', doubt: 'second_answer' }],
  ])('is not queried if it is private and its registry gives %s', async (_, facts, answer) => {
    registry.isPrivateZone = true;
    zones.says = 'has_it';
    lookups.inZone.add(name.ascii); // what the public DNS said once is about another zone
    if (facts) registry.secondAnswer = () => observation(facts, clock.now());
    expect(await live()).toMatchObject(answer);
    expect([zones.calls.filter((call) => call.name === name.ascii), registry.repeats.length]).toEqual([[], 1]);
    expect(await lookup.forWatch(name, watching())).toMatchObject({ kind: 'observation', facts: absent });
  });
});

describe('a name known to be registered', () => {
  beforeEach(() => {
    zones.says = 'denies';
  });

  it('is one that the registry found before, and is looked up again only after ten minutes', async () => {
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

  it('is the registry’s own name (nic.com) if no other was found and DNS delegates nic.com', async () => {
    zones.holds.add('nic.com');
    expect(rules(await live())).toContain('rdap canary.found found');
    expect(registry.canaries).toEqual(['nic.com']);
  });

  it('is not required: a check answers "available" if no such name is known', async () => {
    expect(rules(await live())).toContain('rdap canary.unproven inconclusive');
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.canaries).toEqual([]);
  });

  it('makes all not-found answers of its TLD fail for ten minutes if the registry lacks it', async () => {
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

  it('is replaced by a second such name, if any, when the registry lacks the first', async () => {
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

  it('is never the checked name, nor one that expires soon, is being deleted or was found a month ago', async () => {
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

  it('is looked up after the not-found answer if the registry had a record of the checked name', async () => {
    registry.facts = found();
    await live();
    await live(other);
    registry.facts = absent;
    clock.advance(SECOND);
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
    expect(registry.canaries).toHaveLength(1);
  });

  it('is looked up after the not-found answer if DNS does not deny the checked name', async () => {
    await finds();
    clock.advance(SECOND);
    zones.says = 'silent';
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
  });

  it('is looked up after the not-found answer even if a process with a fast clock just found it', async () => {
    await finds();
    clock.advance(-SECOND);
    zones.says = null;
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
  });

  it('makes the check fail with the same error if its own lookup fails', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = () => failedLookup('registry_timeout', 'rdap.example', clock.now());
    expect(await live()).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    registry.canaryAnswer = () => found();
    expect(await live()).toMatchObject({ status: 'available' });
  });

  it('is used by the next lookup if the rate limit delayed its query too long for the first', async () => {
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

  it('is looked up once for twenty simultaneous checks', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    const names = Array.from({ length: 20 }, (_, i) => DomainName.restore(`free${i}.com`));
    const answers = await Promise.all(names.map((one) => live(one)));
    expect(new Set(answers.map((answer) => 'status' in answer && answer.status))).toEqual(new Set(['available']));
    expect(registry.canaries).toEqual(['other.com']);
  });

  it('does not appear in the evidence of a check', async () => {
    await finds();
    clock.advance(11 * MINUTE);
    expect(JSON.stringify(said(await live()))).not.toContain('other.com');
  });

  it('counts only for answers of the lookup source that found it', async () => {
    registry.source = 'acme';
    await finds();
    clock.advance(11 * MINUTE);
    registry.canaryAnswer = () => absent;
    expect(await live()).toMatchObject({ kind: 'failure', doubt: 'canary_missing' });
    registry.source = 'rdap';
    expect(await live()).toMatchObject({ status: 'available' });
  });
});

describe('a lookup for a watched name', () => {
  it('asks the registry only once if the answer is not found', async () => {
    await lookup.forWatch(name, watching());
    expect([registry.calls.length, registry.repeats.length]).toEqual([1, 0]);
  });

  it('is not used to answer a later check of an account', async () => {
    zones.says = 'denies';
    await lookup.forWatch(name, watching());
    expect(await fresh()).toMatchObject({ status: 'available' });
    expect(registry.calls).toHaveLength(2);
  });

  it('confirms a not-found answer only if a known registered name was found after the first such answer', async () => {
    zones.says = 'denies';
    await finds();
    const firstSeenAt = after(clock.now(), SECOND);
    clock.advance(MINUTE);
    registry.canaryAnswer = () => absent;
    expect(await lookup.forWatch(name, watching())).toMatchObject({ kind: 'observation' });
    expect(await lookup.forWatch(name, watching(firstSeenAt))).toMatchObject({ doubt: 'canary_missing' });
  });

  it('removes the cached answer of a check if the registry now answers something else', async () => {
    registry.facts = found();
    expect(await fresh()).toMatchObject({ status: 'registered' });
    clock.advance(SECOND);
    registry.facts = found({ statuses: ['pending delete'] });
    await lookup.forWatch(name, watching(), found());
    expect(await fresh()).toMatchObject({ status: 'pending_delete' });
    expect(registry.calls).toHaveLength(3);
  });
});
