import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import type { RefreshDomain } from '../../../../src/domains/checks/refresh-domain.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import {
  failedLookup,
  type LookupResult,
  type Observation,
} from '../../../../src/domains/domain/lookup/lookup-result.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { LookupClaim } from '../../../../src/domains/lookup-cache/lookup-coordinator.js';
import { SECOND } from '../../../../src/kernel/clock.js';
import { observation } from '../../../support/builders/observations.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { LocalLookupCoordinator } from '../lookup-cache/local-lookup-coordinator.js';
import {
  buildChecks,
  linkTo,
  ScriptedDelegationChecker,
  ScriptedRegistryLookup,
  ScriptedTrust,
} from './scripted-ports.js';

const name = DomainName.restore('example.com');
let clock: TestClock;
let dns: ScriptedDelegationChecker;
let registry: ScriptedRegistryLookup;
let trust: ScriptedTrust;
let notified: LookupResult[];
let checks: CheckDomain;
let refresh: RefreshDomain;

beforeEach(() => {
  clock = new TestClock();
  [dns, registry, trust] = [
    new ScriptedDelegationChecker(clock),
    new ScriptedRegistryLookup(clock),
    new ScriptedTrust(),
  ];
  registry.facts = absent;
  notified = [];
  const link = linkTo({ recordCheck: async (_name, result) => void notified.push(result) });
  ({ checks, refresh } = buildChecks({ registry, dns, clock, link, trust }));
});

const live = () => checks.check(name, { maxAgeSeconds: 0 });
const observing = (facts: Observation['facts']) => observation(facts, clock.now(), { source: 'whois' });

describe('a check of a name that the registry has no record of', () => {
  it('is available without a second question where the zone does not delegate the name', async () => {
    dns.delegation = 'not_delegated';
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.repeats).toEqual([]);
  });

  it.each(['inconclusive', null] as const)('asks the registry again where DNS is %s', async (delegation) => {
    dns.delegation = delegation;
    expect(await live()).toMatchObject({ status: 'available', observation: { hasSecondWitness: true } });
    expect(registry.repeats).toMatchObject([{ name: 'example.com', first: { absence: { facts: absent } } }]);
    expect(registry.repeats[0]?.timeoutMs).toBeLessThanOrEqual(10_000);
  });

  it('is the error of the second question, and stays one', async () => {
    const failure = { code: 'registry_throttled', notSent: 'budget', retryAfterSeconds: 7 } as const;
    registry.secondAnswer = () => ({ ...failedLookup('registry_throttled', 'whois.example', clock.now()), ...failure });
    expect(await live()).toMatchObject({ kind: 'failure', ...failure });
    expect(await checks.check(name)).toMatchObject({ kind: 'failure' });
  });

  it('is passed to the watch as it is answered', async () => {
    await live();
    registry.secondAnswer = () => observing(found());
    await live();
    expect(notified).toMatchObject([{ hasSecondWitness: true, witnesses: 1 }, { doubt: 'second_witness' }]);
  });

  it('is asked about twice for one answer from the cache', async () => {
    await checks.check(name);
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    expect([registry.calls.length, registry.repeats.length]).toEqual([1, 1]);
  });

  it('loses an earlier answer when the two contradict each other', async () => {
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    registry.secondAnswer = () => observing(found());
    clock.advance(SECOND);
    await live();
    expect(await checks.check(name)).toMatchObject({ kind: 'failure' });
  });

  it('needs no second question in the sandbox', async () => {
    Object.assign(registry, { source: 'sandbox', delegation: 'not_delegated' });
    trust.doubt = 'drops_held';
    expect(await live()).toMatchObject({ status: 'available' });
    expect(registry.repeats).toEqual([]);
  });
});

describe('the lookup of a watch', () => {
  it('asks once, whatever DNS says', async () => {
    await refresh.run(name);
    expect([registry.calls.length, registry.repeats.length]).toEqual([1, 0]);
  });

  it('with one witness answers no check', async () => {
    await refresh.run(name);
    expect(await checks.check(name)).toMatchObject({ observation: { hasSecondWitness: true } });
    expect([registry.calls.length, registry.repeats.length]).toEqual([2, 1]);
  });

  it('answers checks where the zone does not delegate the name', async () => {
    dns.delegation = 'not_delegated';
    await refresh.run(name);
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    expect(registry.calls).toHaveLength(1);
  });
});

/** Other processes have this observation in the table that they share. */
class SharedObservation extends LocalLookupCoordinator {
  isInFlight = false;
  constructor(private readonly observation: Observation) {
    super();
  }

  override acquireOrJoin(asked: DomainName, notBefore: Date | null): Promise<LookupClaim> {
    if (this.isInFlight) return Promise.resolve({ kind: 'in_flight', leaseId: '1' });
    if (notBefore === null) return super.acquireOrJoin(asked, notBefore);
    return Promise.resolve({ kind: 'cached', observation: this.observation });
  }

  override awaitResult() {
    return Promise.resolve(this.observation);
  }
}

describe('the answer of another process', () => {
  const sharing = (observation: Observation) => {
    const coordinator = new SharedObservation(observation);
    ({ checks } = buildChecks({ registry, dns, clock, coordinator }));
    return coordinator;
  };

  it('with one witness is not passed on: the registry is asked', async () => {
    sharing(observing(absent));
    expect(await checks.check(name)).toMatchObject({ observation: { source: 'rdap', hasSecondWitness: true } });
    expect([registry.calls.length, registry.repeats.length]).toEqual([1, 1]);
  });

  it.each([{ hasSecondWitness: true }, { delegation: 'not_delegated' }] as const)(
    'with the witness that it needs is passed on: %j',
    async (witness) => {
      sharing({ ...observing(absent), ...witness });
      expect(await checks.check(name)).toMatchObject({ status: 'available', observation: { source: 'whois' } });
      expect(registry.calls).toEqual([]);
    },
  );

  it('that replaced the result waited for is not passed on with one witness', async () => {
    sharing(observing(absent)).isInFlight = true;
    expect(await checks.check(name)).toMatchObject({ kind: 'failure', code: 'registry_timeout' });
    sharing({ ...observing(absent), hasSecondWitness: true }).isInFlight = true;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
  });
});

describe.each(['drops_held', 'canary_failed'] as const)('a registry that is in doubt (%s)', (doubt) => {
  beforeEach(() => {
    dns.delegation = 'not_delegated';
  });

  it('is not believed when it has no record of a name', async () => {
    trust.doubt = doubt;
    const failure = { kind: 'failure', code: 'registry_answer_unusable', registry: 'rdap.example', doubt };
    expect(await live()).toMatchObject({ ...failure, evidence: [{ source: 'rdap' }, { source: 'dns' }] });
  });

  it('is not believed from the cache either, until the doubt is over', async () => {
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    trust.doubt = doubt;
    expect(await checks.check(name)).toMatchObject({ kind: 'failure', doubt });
    trust.doubt = null;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    expect(registry.calls).toHaveLength(1);
  });

  it('is not believed with account isolation', async () => {
    ({ checks } = buildChecks({ registry, dns, clock, trust, settings: { ACCOUNT_ISOLATION: 'on' } }));
    const request = { accountId: 'acc_1' };
    expect(await checks.check(name, request)).toMatchObject({ status: 'available' });
    trust.doubt = doubt;
    expect(await checks.check(name, request)).toMatchObject({ doubt });
    expect(await checks.check(name, { ...request, maxAgeSeconds: 0 })).toMatchObject({ doubt });
  });

  it('is believed when it has a record', async () => {
    trust.doubt = doubt;
    registry.facts = found();
    expect(await live()).toMatchObject({ status: 'registered' });
  });

  it('tells the watch, which has a brake of its own', async () => {
    trust.doubt = doubt;
    await live();
    expect(notified).toMatchObject([{ kind: 'observation', facts: absent }]);
  });
});

describe('the DNS check', () => {
  it('vetoes the absence of a delegated name: an error with the evidence of both', async () => {
    dns.delegation = 'delegated';
    const answer = await live();
    const vetoed = { code: 'registry_answer_unusable', doubt: 'delegated', dnsVetoed: { facts: absent } };
    expect(answer).toMatchObject({ kind: 'failure', ...vetoed });
    expect(answer).toMatchObject({ evidence: [{ source: 'rdap' }, { source: 'dns' }] });
  });

  it.each(['not_delegated', 'inconclusive'] as const)(
    'leaves an absence alone when the name is %s',
    async (delegation) => {
      dns.delegation = delegation;
      const observation = { delegation };
      expect(await live()).toMatchObject({ kind: 'result', status: 'available', observation });
    },
  );

  it('evicts the cached absence', async () => {
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    dns.delegation = 'delegated';
    await live();
    expect(await checks.check(name)).toMatchObject({ kind: 'failure' });
  });

  it('is not made for a record, a reservation or a failure', async () => {
    dns.delegation = 'not_delegated';
    for (const facts of [found(), reserved, null]) {
      registry.facts = facts;
      expect(await live()).not.toMatchObject({ status: 'available' });
    }
    expect(dns.calls).toEqual([]);
  });

  it('is not made for sandbox names, and has the time that the registry left', async () => {
    Object.assign(registry, { facts: absent, source: 'sandbox', delegation: 'not_delegated' });
    await live();
    expect(dns.calls).toEqual([]);
    Object.assign(registry, { source: 'rdap', delegation: null });
    await refresh.run(name, 2_000);
    expect(dns.calls).toMatchObject([{ name: 'example.com' }]);
    expect(dns.calls[0]?.timeoutMs).toBeLessThanOrEqual(2_000);
  });

  it('does not lose the time of waiting for admission', async () => {
    registry.admissionGate = () => new Promise((resolve) => setTimeout(resolve, 400));
    await refresh.run(name, 300);
    expect(dns.calls[0]?.timeoutMs).toBeGreaterThan(200);
    expect(dns.calls[0]?.timeoutMs).toBeLessThanOrEqual(300);
  });

  it.each([null, 'inconclusive'] as const)(
    'keeps the veto of a delegation that was heard before: %s now, for a check and a watch',
    async (delegation) => {
      dns.delegation = delegation;
      trust.delegated.add(name.ascii);
      const vetoed = { kind: 'failure', doubt: 'delegated', dnsVetoed: { facts: absent } };
      expect(await live()).toMatchObject(vetoed);
      expect(registry.repeats).toEqual([]);
      expect(await refresh.run(name)).toMatchObject(vetoed);
      expect(await refresh.run(name)).not.toHaveProperty('delegatedAt');
    },
  );

  it.each([
    ['the zone does not delegate the name', absent, 'available'],
    ['the registry has a record of it', found(), 'registered'],
  ])('ends an earlier veto when %s', async (_when, facts, status) => {
    registry.facts = facts;
    dns.delegation = 'not_delegated';
    trust.delegated.add(name.ascii);
    expect(await live()).toMatchObject({ kind: 'result', status });
  });

  it.each([
    ['both say', null, { kind: 'result', status: 'available' }],
    ['one says', found(), { kind: 'failure', doubt: 'second_witness' }],
  ])(
    'is not made in a private zone, whose source is asked again: %s that there is no record',
    async (_, facts, answer) => {
      registry.isPrivateZone = true;
      dns.delegation = 'delegated';
      trust.delegated.add(name.ascii); // what the public DNS said once is about another zone
      if (facts) registry.secondAnswer = () => observation(facts, clock.now());
      expect(await live()).toMatchObject(answer);
      expect([dns.calls, registry.repeats.length]).toEqual([[], 1]);
      expect(await refresh.run(name)).toMatchObject({ kind: 'observation', facts: absent, witnesses: 1 });
      expect(dns.calls).toEqual([]);
    },
  );

  it('that runs out of time makes the lookup a timeout', async () => {
    Object.assign(dns, { delegation: 'inconclusive', ranOutOfTime: true });
    const answer = await live();
    expect(answer).toMatchObject({ code: 'registry_timeout', evidence: [{ source: 'rdap' }, { source: 'dns' }] });
    expect(answer).not.toHaveProperty('dnsVetoed');
  });
});
