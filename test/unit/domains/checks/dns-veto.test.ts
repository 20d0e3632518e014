import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RefreshDomain } from '../../../../src/domains/checks/refresh-domain.js';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { absent, found, reserved } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { buildChecks, ScriptedDelegationChecker, ScriptedRegistryLookup, ScriptedTrust } from './scripted-ports.js';

const name = DomainName.restore('example.com');
let dns: ScriptedDelegationChecker;
let registry: ScriptedRegistryLookup;
let checks: CheckDomain;
let refresh: RefreshDomain;
let trust: ScriptedTrust;

beforeEach(() => {
  const clock = new TestClock();
  dns = new ScriptedDelegationChecker(clock);
  registry = new ScriptedRegistryLookup(clock);
  ({ checks, refresh } = buildChecks({ registry, dns, clock, trust: (trust = new ScriptedTrust()) }));
});

describe('the DNS check', () => {
  const live = () => checks.check(name, { maxAgeSeconds: 0 });

  it('vetoes the absence of a delegated name: an error with the evidence of both', async () => {
    registry.facts = absent;
    dns.delegation = 'delegated';
    const answer = await live();
    const vetoed = { code: 'registry_answer_unusable', doubt: 'delegated', dnsVetoed: { facts: absent } };
    expect(answer).toMatchObject({ kind: 'failure', ...vetoed });
    expect(answer).toMatchObject({ evidence: [{ source: 'rdap' }, { source: 'dns' }] });
  });

  it.each(['not_delegated', 'inconclusive'] as const)(
    'leaves an absence alone when the name is %s',
    async (delegation) => {
      registry.facts = absent;
      dns.delegation = delegation;
      const observation = { delegation };
      expect(await live()).toMatchObject({ kind: 'result', status: 'available', observation });
    },
  );

  it('evicts the cached absence', async () => {
    registry.facts = absent;
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
    registry.facts = absent;
    registry.admissionGate = () => new Promise((resolve) => setTimeout(resolve, 400));
    await refresh.run(name, 300);
    expect(dns.calls[0]?.timeoutMs).toBeGreaterThan(200);
    expect(dns.calls[0]?.timeoutMs).toBeLessThanOrEqual(300);
  });

  it.each([null, 'inconclusive'] as const)(
    'keeps the veto of a delegation that was heard before: %s now, for a check and a watch',
    async (delegation) => {
      registry.facts = absent;
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

  it('that runs out of time makes the lookup a timeout', async () => {
    registry.facts = absent;
    Object.assign(dns, { delegation: 'inconclusive', ranOutOfTime: true });
    const answer = await live();
    expect(answer).toMatchObject({ code: 'registry_timeout', evidence: [{ source: 'rdap' }, { source: 'dns' }] });
    expect(answer).not.toHaveProperty('dnsVetoed');
  });
});
