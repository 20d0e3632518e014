import { beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckDomain } from '../../../../src/domains/checks/check-domain.js';
import type { DomainLookup } from '../../../../src/domains/checks/domain-lookup.js';
import { absent } from '../../../../src/domains/domain/lifecycle/registration-facts.js';
import { failedLookup, type LookupResult } from '../../../../src/domains/domain/lookup/lookup-result.js';
import type { SourceQuestion, TimedLookupResult } from '../../../../src/domains/domain/lookup/registry-lookup.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { MINUTE } from '../../../../src/kernel/clock.js';
import { WatchedName } from '../../../../src/watchlist/domain/watched-name.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import { aSchedule } from '../../watchlist/builders.js';
import { buildChecks, ScriptedRegistryLookup, ScriptedZones, watching } from './scripted-ports.js';

/** A name is asked about now or not at all; a canary waits for its turn. */
class OneQueryAMinute extends ScriptedRegistryLookup {
  private isTaken = false;
  private readonly waiting: (() => void)[] = [];

  async passesAMinute(clock: TestClock): Promise<void> {
    clock.advance(MINUTE);
    this.isTaken = false;
    const next = this.waiting.shift();
    if (next) this.isTaken = true;
    next?.();
    await nextTurn();
  }

  override async lookUp(name: DomainName, timeoutMs: number): Promise<TimedLookupResult> {
    if (this.isTaken) return { result: this.refused(), remainingMs: timeoutMs };
    this.isTaken = true;
    return super.lookUp(name, timeoutMs);
  }

  override lookUpAgain(): Promise<LookupResult> {
    return Promise.resolve(this.refused());
  }

  override async askAbout(...asked: [DomainName, string, SourceQuestion]): Promise<LookupResult> {
    if (this.isTaken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.isTaken = true;
    return super.askAbout(...asked);
  }

  private refused(): LookupResult {
    return { ...failedLookup('registry_throttled', 'rdap.example', new Date()), notSent: 'budget' };
  }
}

const name = DomainName.restore('example.com');
let clock: TestClock;
let zones: ScriptedZones;
let registry: OneQueryAMinute;
let checks: CheckDomain;
let lookup: DomainLookup;

beforeEach(() => {
  clock = new TestClock();
  zones = new ScriptedZones(clock);
  zones.holds.add('nic.com');
  registry = new OneQueryAMinute(clock);
  registry.facts = absent;
  ({ checks, lookup } = buildChecks({ registry, zones, clock }));
});

const check = () => checks.check(name, { maxAgeSeconds: 0, accountId: 'acc_1' });

describe('a registry that accepts one query a minute', () => {
  it.each(['denies', 'silent'] as const)(
    'lets a watch confirm a free name within ten minutes if the parent zone’s answer is: %s',
    async (says) => {
      zones.says = says;
      const watched = WatchedName.create(name, 'example', 1, clock.now());
      const seen = new Set<string>();
      for (let minute = 0; minute < 10 && !watched.facts; minute += 1) {
        const result = await lookup.forWatch(name, watching(watched.absentSince, 20), watched.facts);
        seen.add(result.kind === 'failure' ? result.code : result.facts.outcome);
        watched.applyResult(result, aSchedule(), clock.now());
        await registry.passesAMinute(clock);
      }
      expect([watched.facts, ...seen]).toEqual([absent, 'registry_throttled', 'absent']);
    },
  );

  it('does not let a watch see a name as free while a known registered name is missing', async () => {
    zones.says = 'silent';
    registry.canaryAnswer = () => absent;
    const watched = WatchedName.create(name, 'example', 1, clock.now());
    for (let minute = 0; minute < 30; minute += 1) {
      const result = await lookup.forWatch(name, watching(watched.absentSince, 20), watched.facts);
      watched.applyResult(result, aSchedule(), clock.now());
      await registry.passesAMinute(clock);
    }
    expect(watched.facts).toBeNull();
  });

  it('makes a check fail as throttled in the second minute, and answers the check in the third', async () => {
    zones.says = 'denies';
    const first = lookup.forWatch(name, watching(null, 20));
    expect(await first).toMatchObject({ code: 'registry_throttled', notSent: 'budget' });
    await registry.passesAMinute(clock);
    expect(await check()).toMatchObject({ kind: 'failure', code: 'registry_throttled' });
    await registry.passesAMinute(clock);
    expect(await check()).toMatchObject({ status: 'available' });
  });
});
