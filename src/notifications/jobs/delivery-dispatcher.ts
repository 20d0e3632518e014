import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Deliver } from '../application/deliveries/deliver.js';
import { type Claim, Deliveries, PLACES } from '../domain/deliveries/delivery.js';

/**
 * Carries what was claimed, and fills the places that become free at once: by the tick alone, a host would take no more
 * than its places with every tick. Nobody waits for a slow receiver but its own host.
 */
@Injectable()
export class Courier {
  private readonly log = new Logger(Courier.name);
  private readonly underWay = new Set<Promise<void>>();
  private readonly freed = new Set<string>();
  private claiming: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly deliver: Deliver,
    private readonly deliveries: Deliveries,
    private readonly clock: Clock,
  ) {}

  /** Begins, and waits for no attempt. What cannot be carried is repeated after its lease. */
  take(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const carried = this.carry(claim).finally(() => this.underWay.delete(carried));
      this.underWay.add(carried);
    }
  }

  /** Resolves when all that was begun has ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.underWay);
  }

  private async carry(claim: Claim): Promise<void> {
    try {
      const host = await this.deliver.run(claim);
      if (host !== null) this.fillPlacesAt(host);
    } catch (error) {
      this.log.error({ err: error as Error, delivery: claim.id }, 'a delivery failed unexpectedly');
    }
  }

  private fillPlacesAt(host: string): void {
    this.freed.add(host);
    if (!this.stopped) this.claiming ??= this.claimFreed();
  }

  private async claimFreed(): Promise<void> {
    try {
      while (this.freed.size > 0 && !this.stopped) {
        const hosts = [...this.freed];
        this.freed.clear();
        this.take(await this.deliveries.claimDueAt(hosts, this.clock.now(), PLACES.inAll));
      }
    } catch (error) {
      this.log.warn(`the next tick claims what is due: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // at once: a place that becomes free in between would wait for the tick
    }
  }
}
