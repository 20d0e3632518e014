import { setTimeout as pause } from 'node:timers/promises';
import { RECORD_CHANGES } from '../world/held-record.js';
import { RECORD_FAULTS } from '../world/record-faults.js';
import type { FaultDelivery, RegistryFault } from '../world/registry-faults.js';
import { type Registries, TLDS } from '../world/registries.js';
import { RegistryState } from '../world/registry-state.js';
import { pauseUnlessStopped } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';

/** Each kind of fault comes four times before any name has its second one. */
const NAMES = 16;
const MAX_DWELL_MS = 600;
const POLL_MS = 100;
/** How far the parent zone is behind the registry. */
const MAX_PUBLICATION_MS = 2_500;
/** Two checks, which take long on a busy machine; a fault that was not delivered proves nothing. */
const FAULT_TIMEOUT_MS = 60_000;
/** How long an outage of the registry lasts. */
const OUTAGE_MS = 1_000;
const OUTAGES: readonly RegistryFault[] = ['error', 'page', 'silence'];

/** Whether the service shows the record that the registry holds, confirmed and with no change pending. */
export type IsRecordShown = (name: string) => boolean;

/**
 * The registration record of names that stay registered. The seed decides how each one changes, and which wrong answers
 * come in between. A record changes only after its last change is shown, so that none may be skipped.
 */
export class RecordScenario {
  readonly registryStates: readonly RegistryState[];
  changes = 0;

  constructor(
    private readonly registries: Registries,
    private readonly random: SeededRandom,
  ) {
    this.registryStates = Array.from({ length: NAMES }, (_, i) => {
      const name = `record-${i}.${TLDS[i % TLDS.length] ?? ''}`;
      registries.setState(name, 'registered');
      return new RegistryState(name, 'registered', Date.now());
    });
  }

  get names(): string[] {
    return this.registryStates.map(({ name }) => name);
  }

  async run(isShown: IsRecordShown, stop: AbortSignal): Promise<void> {
    await Promise.all(this.names.map((name, i) => this.runName(name, i, isShown, stop)));
  }

  private async runName(name: string, first: number, isShown: IsRecordShown, stop: AbortSignal): Promise<void> {
    const random = this.random.fork(name);
    for (let turn = first; !stop.aborted; turn += 1) {
      await this.waitUntilShown(name, isShown, stop);
      await pause(random.between(0, MAX_DWELL_MS));
      if (stop.aborted) return;
      await this.injectFault(name, turn, random, stop);
      await this.waitUntilShown(name, isShown, stop);
      if (stop.aborted) return;
      this.change(name, random);
    }
  }

  private change(name: string, random: SeededRandom): void {
    const isPublishedAtOnce = random.nextBoolean(0.5);
    const change = random.pick(RECORD_CHANGES);
    const publishedAfterMs = isPublishedAtOnce ? 0 : Math.round(random.between(1, MAX_PUBLICATION_MS));
    this.changes += 1;
    this.registries.changeRecord(name, change, change === 'registrar' || change === 'locks' ? 0 : publishedAfterMs);
  }

  /** The wrong answers about records in turn, each with its first name, and an outage now and then. */
  private async injectFault(name: string, turn: number, random: SeededRandom, stop: AbortSignal): Promise<void> {
    const outage = random.nextBoolean(0.2) ? random.pick(OUTAGES) : null;
    const fault = RECORD_FAULTS[turn % RECORD_FAULTS.length] ?? 'reordered';
    await this.waitForDelivery(this.registries.distort(name, fault), stop);
    if (outage !== null && !stop.aborted) {
      await this.waitForDelivery(this.registries.injectFault(name, outage), stop);
      await pauseUnlessStopped(OUTAGE_MS, stop);
    }
    this.registries.endFault(name);
  }

  private async waitForDelivery({ delivered }: FaultDelivery, stop: AbortSignal): Promise<void> {
    await Promise.race([delivered, pauseUnlessStopped(FAULT_TIMEOUT_MS, stop)]);
  }

  private async waitUntilShown(name: string, isShown: IsRecordShown, stop: AbortSignal): Promise<void> {
    while (!stop.aborted && !isShown(name)) await pause(POLL_MS);
  }
}
