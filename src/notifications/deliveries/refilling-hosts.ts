import { Injectable } from '@nestjs/common';
import { SECOND } from '../../kernel/clock.js';

/** A host that waits longer: its claim has failed or is late, and the periodic one takes over. */
const MAX_WAIT_MS = SECOND;

/**
 * Hosts where an attempt of this process ended, and which it is about to claim for. Periodic claims leave them out: what
 * those claim goes over the queue, and needs several statements more.
 */
@Injectable()
export class RefillingHosts {
  /** By `performance.now()`. */
  private readonly endedAt = new Map<string, number>();

  add(host: string): void {
    this.endedAt.set(host, performance.now());
  }

  /** @param claimedAt by `performance.now()`; slots that became free later are still to be claimed */
  remove(hosts: readonly string[], claimedAt: number): void {
    for (const host of hosts) if ((this.endedAt.get(host) ?? Infinity) <= claimedAt) this.endedAt.delete(host);
  }

  list(): string[] {
    const oldest = performance.now() - MAX_WAIT_MS;
    for (const [host, endedAt] of this.endedAt) if (endedAt < oldest) this.endedAt.delete(host);
    return [...this.endedAt.keys()];
  }
}
