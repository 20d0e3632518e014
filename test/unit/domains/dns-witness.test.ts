import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { AccountLooks } from '../../../src/domains/application/account-looks.js';
import { CheckDomain } from '../../../src/domains/application/check-domain.js';
import { JointLooks } from '../../../src/domains/application/joint-looks.js';
import { LookListeners } from '../../../src/domains/application/look-listeners.js';
import { RecentProofs } from '../../../src/domains/application/recent-proofs.js';
import { DomainName } from '../../../src/domains/domain/domain-name.js';
import { NothingShared } from '../../../src/domains/domain/shared-looks.js';
import { absent, found, reserved } from '../../../src/domains/domain/registration.js';
import { TestClock } from '../../support/fakes/test-clock.js';
import { EverySuffix, ScriptedDns, ScriptedRegistry } from './scripted-witnesses.js';

const name = DomainName.restore('example.com');
let dns: ScriptedDns;
let registry: ScriptedRegistry;
let checks: CheckDomain;

beforeEach(() => {
  const clock = new TestClock();
  dns = new ScriptedDns(clock);
  registry = new ScriptedRegistry(clock);
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });
  const joint = new JointLooks(new NothingShared(), clock);
  const recent = new RecentProofs();
  checks = new CheckDomain(
    ...([config, new EverySuffix(), registry, dns, recent, joint, new LookListeners(), clock] as const),
    new AccountLooks(recent),
  );
});

describe('the DNS witness', () => {
  const live = () => checks.check(name, { maxAgeSeconds: 0 });

  it('vetoes an absence of a name that is delegated: an error, with what both said', async () => {
    registry.facts = absent;
    dns.says = 'delegated';
    const answer = await live();
    expect(answer).toMatchObject({ kind: 'failure', code: 'registry_answer_unusable', vetoed: { facts: absent } });
    expect(answer).toMatchObject({ evidence: [{ source: 'rdap' }, { source: 'dns' }] });
  });

  it.each(['not_delegated', 'inconclusive'] as const)('that says %s leaves it an absence', async (delegation) => {
    registry.facts = absent;
    dns.says = delegation;
    const proof = { delegation, evidence: [{ source: 'rdap' }, { source: 'dns' }] };
    expect(await live()).toMatchObject({ kind: 'result', status: 'available', proof });
  });

  it('takes back the memory of an absence', async () => {
    registry.facts = absent;
    expect(await checks.check(name)).toMatchObject({ status: 'available' });
    dns.says = 'delegated';
    await live();
    expect(await checks.check(name)).toMatchObject({ kind: 'failure' });
  });

  it('grants nothing: where the registry has a record, reserves or fails, it is not even asked', async () => {
    dns.says = 'not_delegated';
    for (const facts of [found(), reserved, null]) {
      registry.facts = facts;
      expect(await live()).not.toMatchObject({ status: 'available' });
    }
    expect(dns.asked).toEqual([]);
  });

  it('is not asked about sandbox names, and has the time only that the registry left', async () => {
    Object.assign(registry, { facts: absent, source: 'sandbox' });
    await live();
    expect(dns.asked).toEqual([]);
    registry.source = 'rdap';
    await checks.look(name, 2_000);
    expect(dns.asked).toMatchObject([{ name: 'example.com' }]);
    expect(dns.asked[0]?.deadline).toBeLessThanOrEqual(2_000);
  });

  it('has all the time that is left from the turn on, however long that was waited for', async () => {
    registry.facts = absent;
    registry.turn = () => new Promise((resolve) => setTimeout(resolve, 400));
    await checks.look(name, 300);
    expect(dns.asked[0]?.deadline).toBeGreaterThan(200);
    expect(dns.asked[0]?.deadline).toBeLessThanOrEqual(300);
  });

  it('that could not be asked for want of time leaves nothing proven', async () => {
    registry.facts = absent;
    Object.assign(dns, { says: 'inconclusive', lacksTime: true });
    const answer = await live();
    expect(answer).toMatchObject({ code: 'registry_timeout', evidence: [{ source: 'rdap' }, { source: 'dns' }] });
    expect(answer).not.toHaveProperty('vetoed');
  });
});
