import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { Canaries } from '../../../src/domains/application/canaries.js';
import { RecentProofs } from '../../../src/domains/application/recent-proofs.js';
import { CanaryRecords, type CanaryVerdict } from '../../../src/domains/domain/canary.js';
import { DomainName } from '../../../src/domains/domain/domain-name.js';
import type { Look, Proof } from '../../../src/domains/domain/look.js';
import { absent, found } from '../../../src/domains/domain/registration.js';
import { NothingShared } from '../../../src/domains/domain/shared-looks.js';
import { TestClock } from '../../support/fakes/test-clock.js';
import { ScriptedRegistry } from './scripted-witnesses.js';

class KeptRecords extends CanaryRecords {
  readonly kept: CanaryVerdict[] = [];
  keep = (verdict: CanaryVerdict) => Promise.resolve(void this.kept.push(verdict));
  since = () => Promise.resolve(this.kept);
  last = () => Promise.resolve(this.kept);
}

/** Holds these names and no others. */
class HoldingRegistry extends ScriptedRegistry {
  readonly names = new Set<string>();
  isDead = false;
  /** Our own budget lets nobody ask it. */
  isWithheld = false;

  override look(name: DomainName, deadline: number): Promise<Look> {
    this.asked.push({ name: name.ascii, deadline });
    if (this.isWithheld) return Promise.resolve(withheld());
    const answering = new ScriptedRegistry(clock);
    answering.facts = this.isDead ? null : this.names.has(name.ascii) ? found() : absent;
    return answering.look(name, deadline);
  }
}

class SharedNames extends NothingShared {
  names: string[] = [];
  override foundIn = () => Promise.resolve(this.names);
}

const clock = new TestClock();
let registry: HoldingRegistry;
let recent: RecentProofs;
let shared: SharedNames;
let canaries: Canaries;
let records: KeptRecords;

beforeEach(() => {
  [registry, recent, shared] = [new HoldingRegistry(clock), new RecentProofs(), new SharedNames()];
  records = new KeptRecords();
  const config = readConfig({ RDAP_BOOTSTRAP_URL: 'off' });
  canaries = new Canaries(config, registry, records, recent, shared, clock);
});

function withheld(): Look {
  const rest = { registry: 'rdap.lab', retryAfterSeconds: 1, observedAt: clock.now(), evidence: [] };
  return { kind: 'failure', code: 'registry_throttled', withheld: 'budget', ...rest };
}

/** As if it had been looked at. */
async function seen(domain: string): Promise<void> {
  const name = DomainName.restore(domain);
  recent.keep(name, (await registry.look(name, 1_000)) as Proof);
}

const verdict = async () => {
  const { isRight, registered } = await canaries.probe('lab');
  return [isRight, registered.domain];
};

describe('the canaries of a TLD', () => {
  it('are its own name, where there is one, and nobody else', async () => {
    registry.names.add('nic.lab').add('a.lab');
    await seen('a.lab');
    expect(await verdict()).toEqual([true, 'nic.lab']);
    expect(registry.asked.slice(1).map(({ name }) => name)).not.toContain('a.lab');
  });

  it('are a name that was found there lately, where there is none', async () => {
    registry.names.add('a.lab').add('a.other');
    for (const domain of ['gone.lab', 'a.lab', 'a.other']) await seen(domain);
    expect(await verdict()).toEqual([true, 'a.lab']);
  });

  it('are a name that somebody else found there as well', async () => {
    registry.names.add('b.lab');
    shared.names = ['dropped.lab', 'b.lab'];
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
  await canaries.probe('lab');
  registry.isWithheld = true;
  expect((await canaries.probe('lab')).isRight).toBe(false);
  expect(records.kept.map(({ isRight }) => isRight)).toEqual([true]);
});
