import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { CanaryProbe } from '../../../../src/domains/canaries/canary-probe.js';
import { LookupCache } from '../../../../src/domains/lookup-cache/lookup-cache.js';
import type { CanaryResultRepository } from '../../../../src/domains/canaries/canary-results.repository.js';
import type { CanaryResult } from '../../../../src/domains/domain/lookup/canary-result.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import type { TimedLookupResult } from '../../../../src/domains/domain/lookup/registry-lookup.js';
import type { LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { absent, found } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { LocalLookupCoordinator } from '../lookup-cache/local-lookup-coordinator.js';
import { WatchlistLink } from '../../../../src/domains/watchlist-link.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { ScriptedRegistryLookup } from '../checks/scripted-ports.js';

class InMemoryResults {
  readonly saved: CanaryResult[] = [];
  save = (verdict: CanaryResult) => Promise.resolve(void this.saved.push(verdict));
  findSince = () => Promise.resolve(this.saved);
  findLast = () => Promise.resolve(this.saved.at(-1) ?? null);
  findFailing = () => Promise.resolve(this.saved.filter(({ hasPassed }) => !hasPassed).map(({ tld }) => tld));
  findLatest = () => Promise.resolve(this.saved);
}

/** Has records of these names only. */
class RegistryWithRecords extends ScriptedRegistryLookup {
  readonly names = new Set<string>();
  isDead = false;
  /** The budget of the operator is used up. */
  isBudgetUsedUp = false;

  override lookUp(name: DomainName, timeoutMs: number): Promise<TimedLookupResult> {
    this.calls.push({ name: name.ascii, timeoutMs });
    if (this.isBudgetUsedUp) return Promise.resolve({ result: notSent(), remainingMs: timeoutMs });
    const answering = new ScriptedRegistryLookup(clock);
    answering.facts = this.isDead ? null : this.names.has(name.ascii) ? found() : absent;
    return answering.lookUp(name, timeoutMs);
  }
}

class NamesOfOtherProcesses extends LocalLookupCoordinator {
  names: string[] = [];
  override findRegistered = () => Promise.resolve(this.names);
}

const clock = new TestClock();
let registry: RegistryWithRecords;
let cache: LookupCache;
let coordinator: NamesOfOtherProcesses;
let canaries: CanaryProbe;
let records: InMemoryResults;
let link: WatchlistLink;

beforeEach(() => {
  [registry, cache, coordinator] = [new RegistryWithRecords(clock), new LookupCache(), new NamesOfOtherProcesses()];
  records = new InMemoryResults();
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });
  link = new WatchlistLink();
  const repository = records as Partial<CanaryResultRepository> as CanaryResultRepository;
  canaries = new CanaryProbe(config, registry, repository, cache, coordinator, link, clock);
});

function notSent(): LookupResult {
  const rest = { registry: 'rdap.lab', retryAfterSeconds: 1, observedAt: clock.now(), evidence: [] };
  return { kind: 'failure', code: 'registry_throttled', notSent: 'budget', ...rest };
}

async function lookUp(domain: string): Promise<void> {
  const name = DomainName.restore(domain);
  cache.update(name, (await registry.lookUp(name, 1_000)).result);
}

const outcome = async () => {
  const { hasPassed, registered } = await canaries.run('lab');
  return [hasPassed, registered.domain];
};

describe('the canary probe of a TLD', () => {
  it('looks up nic.<tld> where it exists', async () => {
    registry.names.add('nic.lab').add('a.lab');
    await lookUp('a.lab');
    expect(await outcome()).toEqual([true, 'nic.lab']);
    expect(registry.calls.slice(1).map(({ name }) => name)).not.toContain('a.lab');
  });

  it('falls back to a recently registered name', async () => {
    registry.names.add('a.lab').add('a.other');
    for (const domain of ['gone.lab', 'a.lab', 'a.other']) await lookUp(domain);
    expect(await outcome()).toEqual([true, 'a.lab']);
  });

  it('falls back to a name that another process found', async () => {
    registry.names.add('b.lab');
    coordinator.names = ['dropped.lab', 'b.lab'];
    expect(await outcome()).toEqual([true, 'b.lab']);
  });

  it('falls back to a watched name where none was looked up recently', async () => {
    registry.names.add('c.lab');
    coordinator.names = ['dropped.lab'];
    link.connect({
      ...link.watchlist,
      findRegistered: (tld) => Promise.resolve(['dropped.lab', `gone.${tld}`, `c.${tld}`]),
    });
    expect(await outcome()).toEqual([true, 'c.lab']);
    expect(registry.calls.filter(({ name }) => name === 'dropped.lab')).toHaveLength(1);
  });

  it('fails when the registry denies the watched names too', async () => {
    link.connect({ ...link.watchlist, findRegistered: () => Promise.resolve(['c.lab']) });
    expect(await outcome()).toEqual([false, 'nic.lab']);
  });

  it('fails when no recently registered name is found, or none is known', async () => {
    expect(await outcome()).toEqual([false, 'nic.lab']);
    registry.names.add('a.lab');
    await lookUp('a.lab');
    registry.names.clear();
    expect(await outcome()).toEqual([false, 'nic.lab']);
  });

  it('fails when the registry does not answer', async () => {
    registry.names.add('a.lab');
    await lookUp('a.lab');
    registry.isDead = true;
    expect(await outcome()).toEqual([false, 'nic.lab']);
  });
});

it('saves no result of a lookup that was not sent', async () => {
  registry.names.add('nic.lab');
  await canaries.run('lab');
  registry.isBudgetUsedUp = true;
  expect((await canaries.run('lab')).hasPassed).toBe(false);
  expect(records.saved.map(({ hasPassed }) => hasPassed)).toEqual([true]);
});
