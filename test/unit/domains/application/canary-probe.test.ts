import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { CanaryProbe } from '../../../../src/domains/application/canaries/canary-probe.js';
import { LookupCache } from '../../../../src/domains/application/checks/lookup-cache.js';
import { CanaryResultRepository } from '../../../../src/domains/application/ports/canary-result-repository.js';
import type { CanaryResult } from '../../../../src/domains/domain/lookup/canary-result.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { TimedLookupResult } from '../../../../src/domains/application/ports/registry-lookup.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { LocalLookupCoordinator } from './local-lookup-coordinator.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { ScriptedRegistryLookup } from './scripted-ports.js';

class KeptRecords extends CanaryResultRepository {
  readonly kept: CanaryResult[] = [];
  save = (verdict: CanaryResult) => Promise.resolve(void this.kept.push(verdict));
  findSince = () => Promise.resolve(this.kept);
  findLatest = () => Promise.resolve(this.kept);
}

/** Holds these names and no others. */
class HoldingRegistry extends ScriptedRegistryLookup {
  readonly names = new Set<string>();
  isDead = false;
  /** Our own budget lets nobody ask it. */
  isWithheld = false;

  override lookUp(name: DomainName, timeoutMs: number): Promise<TimedLookupResult> {
    this.calls.push({ name: name.ascii, timeoutMs });
    if (this.isWithheld) return Promise.resolve({ result: withheld(), remainingMs: timeoutMs });
    const answering = new ScriptedRegistryLookup(clock);
    answering.facts = this.isDead ? null : this.names.has(name.ascii) ? found() : absent;
    return answering.lookUp(name, timeoutMs);
  }
}

class SharedNames extends LocalLookupCoordinator {
  names: string[] = [];
  override findRegistered = () => Promise.resolve(this.names);
}

const clock = new TestClock();
let registry: HoldingRegistry;
let cache: LookupCache;
let coordinator: SharedNames;
let canaries: CanaryProbe;
let records: KeptRecords;

beforeEach(() => {
  [registry, cache, coordinator] = [new HoldingRegistry(clock), new LookupCache(), new SharedNames()];
  records = new KeptRecords();
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });
  canaries = new CanaryProbe(config, registry, records, cache, coordinator, clock);
});

function withheld(): LookupResult {
  const rest = { registry: 'rdap.lab', retryAfterSeconds: 1, observedAt: clock.now(), evidence: [] };
  return { kind: 'failure', code: 'registry_throttled', notSent: 'budget', ...rest };
}

/** As if it had been looked at. */
async function seen(domain: string): Promise<void> {
  const name = DomainName.restore(domain);
  cache.update(name, (await registry.lookUp(name, 1_000)).result);
}

const verdict = async () => {
  const { hasPassed, registered } = await canaries.run('lab');
  return [hasPassed, registered.domain];
};

describe('the canaries of a TLD', () => {
  it('are its own name, where there is one, and nobody else', async () => {
    registry.names.add('nic.lab').add('a.lab');
    await seen('a.lab');
    expect(await verdict()).toEqual([true, 'nic.lab']);
    expect(registry.calls.slice(1).map(({ name }) => name)).not.toContain('a.lab');
  });

  it('are a name that was found there lately, where there is none', async () => {
    registry.names.add('a.lab').add('a.other');
    for (const domain of ['gone.lab', 'a.lab', 'a.other']) await seen(domain);
    expect(await verdict()).toEqual([true, 'a.lab']);
  });

  it('are a name that somebody else found there as well', async () => {
    registry.names.add('b.lab');
    coordinator.names = ['dropped.lab', 'b.lab'];
    expect(await verdict()).toEqual([true, 'b.lab']);
  });

  it('are wrong when what was found lately is not found any more, or nothing ever was', async () => {
    expect(await verdict()).toEqual([false, 'nic.lab']);
    registry.names.add('a.lab');
    await seen('a.lab');
    registry.names.clear();
    expect(await verdict()).toEqual([false, 'nic.lab']);
  });

  it('are wrong when the registry does not answer, whatever it said before', async () => {
    registry.names.add('a.lab');
    await seen('a.lab');
    registry.isDead = true;
    expect(await verdict()).toEqual([false, 'nic.lab']);
  });
});

it('a verdict for which nobody was asked is not kept: it would take back one that was right', async () => {
  registry.names.add('nic.lab');
  await canaries.run('lab');
  registry.isWithheld = true;
  expect((await canaries.run('lab')).hasPassed).toBe(false);
  expect(records.kept.map(({ hasPassed }) => hasPassed)).toEqual([true]);
});
