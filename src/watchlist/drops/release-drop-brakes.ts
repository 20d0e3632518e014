import { Injectable } from '@nestjs/common';
import { CanaryProbe } from '../../domains/index.js';
import { Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { dropBrakeTimings, type DropBrakeState } from '../domain/drop-brake.js';
import { DropBrakeRepository } from './drop-brakes.repository.js';

/**
 * Probes the canaries of registries whose drops are held, and releases the brake when they pass; and of those whose last
 * probe failed, which are doubted until one passes, whether a brake still holds or not.
 */
@Injectable()
export class ReleaseDropBrakes {
  /** When this process last probed each TLD. */
  private readonly lastProbedAt = new Map<string, number>();
  private readonly canarySpacingMs: number;

  constructor(
    private readonly brakes: DropBrakeRepository,
    private readonly canaries: CanaryProbe,
    private readonly clock: Clock,
    units: TimeUnits,
  ) {
    this.canarySpacingMs = dropBrakeTimings(units).canarySpacingMs;
  }

  /** Idempotent; several processes probe more often than needed and release once. @returns the released brakes */
  async run(): Promise<readonly DropBrakeState[]> {
    const held = await this.brakes.findHeld();
    const cleared = await Promise.all(held.map(async (state) => ((await this.passesCanaries(state)) ? [state] : [])));
    const released = cleared.flat();
    for (const state of released) await this.brakes.release(state, this.clock.now());
    const failing = (await this.canaries.findFailing()).filter((tld) => !held.some((state) => state.tld === tld));
    await Promise.all(failing.map((tld) => this.probe(tld)));
    return released;
  }

  private async passesCanaries({ tld, heldSince }: DropBrakeState): Promise<boolean> {
    if (!heldSince) return false;
    const steadySince = this.clock.steadySince();
    const from = steadySince && steadySince > heldSince ? steadySince : heldSince; // else the spacing may be a jump's
    if (await this.canaries.hasPassedTwice(tld, from, this.canarySpacingMs)) return true;
    await this.probe(tld);
    return this.canaries.hasPassedTwice(tld, from, this.canarySpacingMs);
  }

  private async probe(tld: string): Promise<void> {
    const now = this.clock.now().getTime();
    const sinceProbeMs = now - (this.lastProbedAt.get(tld) ?? -Infinity);
    if (sinceProbeMs >= 0 && sinceProbeMs < this.canarySpacingMs) return; // negative: the clock was put back
    this.lastProbedAt.set(tld, now);
    await this.canaries.run(tld);
  }
}
