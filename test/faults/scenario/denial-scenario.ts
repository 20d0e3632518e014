import { setTimeout as pause } from 'node:timers/promises';
import type { Checker } from '../clients/checker.js';
import { DENIED_TLDS, type Denials, KEPT_TLD, ZONE_ANSWERS } from '../world/denials.js';
import { RegistryState } from '../world/registry-state.js';
import { pauseUnlessStopped } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

/** Longer than a canary counts, which is ten minutes at 60 times the speed: what the last denial put in doubt is over. */
const WORKING_MS = { least: 10_500, most: 12_000 };
const FIRST_WORKING_MS = { least: 1_500, most: 4_000 };
/** Long enough for two looks of a watch. */
const DENIED_MS = { least: 4_000, most: 6_000 };
const POLL_MS = 150;
const PAUSE_MS = 1_500;
/** Watched names that their registry denies once each: a process that was frozen then is to confirm nothing. */
const ONCE = Array.from({ length: 8 }, (_, i) => `once-${i}.${KEPT_TLD}`);
const ONCE_AFTER_MS = { least: 1_000, most: 15_000 };
const IN_ZONE = /its zone had it/;

/** The API process that asks zones, and the process that asks none. */
interface Checkers {
  readonly withDns: Checker;
  readonly withoutDns: Checker;
}

/**
 * Registries that work, have no record of any of their names for a while, and work again. Some of the names are watched,
 * others are checked, with a zone that has them, is silent, has them without a delegation, or is not asked. All of them are
 * registered all the time, and each registry has found some before: nobody may be told that one is available.
 */
export class DenialScenario {
  readonly registryStates: RegistryState[] = [];
  /** Checks that were refused while the registry denied everything. */
  refusals = 0;
  /** Watched names of which one look saw no record. */
  deniedOnce = 0;

  constructor(
    private readonly denials: Denials,
    private readonly checkers: Checkers,
    private readonly random: SeededRandom,
  ) {
    for (const tld of DENIED_TLDS)
      for (const [i, zone] of ZONE_ANSWERS.entries()) this.add(`watched-${i}.${tld}`, zone);
    for (const name of ONCE) this.add(name, 'undelegated');
  }

  /** The names to be watched. */
  readonly names = [...DENIED_TLDS.flatMap((tld) => ZONE_ANSWERS.map((_, i) => `watched-${i}.${tld}`)), ...ONCE];

  async run(stop: AbortSignal): Promise<void> {
    const once = ONCE.map((name) => this.denyOnce(name, stop));
    await Promise.all([...DENIED_TLDS.map((tld) => this.runTld(tld, stop)), this.checkRemembered(stop), ...once]);
  }

  /** Its zone does not have it, and all else that its registry is asked about is there: only a second look can tell. */
  private async denyOnce(name: string, stop: AbortSignal): Promise<void> {
    const { least, most } = ONCE_AFTER_MS;
    await pauseUnlessStopped(this.random.fork(name).between(least, most), stop);
    if (!stop.aborted && (await this.denials.denyOnce(name, stop))) this.deniedOnce += 1;
  }

  private async runTld(tld: string, stop: AbortSignal): Promise<void> {
    const random = this.random.fork(tld);
    for (let lap = 0; !stop.aborted; lap += 1) {
      const { least, most } = lap === 0 ? FIRST_WORKING_MS : WORKING_MS;
      await pauseUnlessStopped(random.between(least, most), stop);
      const names = ZONE_ANSWERS.map((zone, i) => this.add(`denied-${lap}-${i}.${tld}`, zone));
      // A name without a delegation is believed to be absent for ten minutes after a record was found, unless it had one.
      const known = [`kept-${lap}.${tld}`, ...names.slice(-1)];
      this.add(`kept-${lap}.${tld}`, 'delegated');
      for (const name of known) await this.untilRegistered(name, stop);
      if (stop.aborted) return;
      this.denials.deny(tld, random.nextBoolean(0.7) ? 'usual' : 'unseen');
      const { withDns, withoutDns } = this.checkers;
      await Promise.all([
        pauseUnlessStopped(random.between(DENIED_MS.least, DENIED_MS.most), stop),
        ...names.flatMap((name) => [withDns, withoutDns].map((checker) => this.checkTwice(name, checker))),
      ]);
      this.denials.recover(tld);
    }
  }

  private add(name: string, zone: (typeof ZONE_ANSWERS)[number]): string {
    this.registryStates.push(new RegistryState(name, 'registered', Date.now()));
    this.denials.setZone(name, zone);
    return name;
  }

  private async untilRegistered(name: string, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.checkers.withDns.check(name))?.status !== 200) await pause(POLL_MS);
  }

  private async checkTwice(name: string, checker: Checker): Promise<void> {
    const answers = [await checker.check(name), await checker.checkInBulk(name)];
    this.refusals += answers.filter((answer) => answer?.status === 502).length;
  }

  /** Names that the registry denies one by one; their zone has each, and says nothing any more once it was heard. */
  private async checkRemembered(stop: AbortSignal): Promise<void> {
    const { withDns } = this.checkers;
    for (let count = 0; !stop.aborted; count += 1) {
      await this.untilRegistered(this.add(`kept-${count}.${KEPT_TLD}`, 'delegated'), stop);
      const name = this.add(`remembered-${count}.${KEPT_TLD}`, 'delegated');
      this.denials.deny(name, 'usual');
      while (!stop.aborted && !IN_ZONE.test((await withDns.check(name))?.reason ?? '')) await pause(POLL_MS);
      if (stop.aborted) return; // the zone may not have been heard, and then an absence is right by the rule
      this.denials.setZone(name, 'refused');
      await this.checkTwice(name, withDns);
      this.denials.recover(name);
      await pauseUnlessStopped(PAUSE_MS, stop);
    }
  }
}
