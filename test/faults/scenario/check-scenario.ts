import { setTimeout as pause } from 'node:timers/promises';
import type { Checked, Checker } from '../clients/checker.js';
import { DNS_OUTAGES, type Registries, TLDS } from '../world/registries.js';
import { RegistryState } from '../world/registry-state.js';
import type { SeededRandom } from './seeded-random.js';

const PAUSE_MS = 250;

/**
 * Names that nobody watches, and that stay registered. Their registry has no record of them for a moment, while their zone
 * cannot be heard: no check may answer that they are available.
 */
export class CheckScenario {
  readonly registryStates: RegistryState[] = [];
  /** Checks that the registry's two answers made an error. */
  refusals = 0;

  constructor(
    private readonly registries: Registries,
    private readonly checker: Checker,
    private readonly random: SeededRandom,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    await Promise.all(TLDS.map((tld) => this.checkLostNames(tld, stop)));
  }

  private async checkLostNames(tld: string, stop: AbortSignal): Promise<void> {
    const random = this.random.fork(tld);
    for (let count = 0; !stop.aborted; count += 1) {
      const name = `lost-${count}.${tld}`;
      this.registryStates.push(new RegistryState(name, 'registered', Date.now()));
      this.registries.addLost(name, random.pick(DNS_OUTAGES));
      this.count(await (random.nextBoolean(0.3) ? this.checker.checkInBulk(name) : this.checker.check(name)));
      this.count(await this.checker.check(name, { isFresh: false })); // from a cache, where there is an answer
      await pause(PAUSE_MS);
    }
  }

  private count(answer: Checked | null): void {
    if (answer?.status === 502) this.refusals += 1;
  }
}
