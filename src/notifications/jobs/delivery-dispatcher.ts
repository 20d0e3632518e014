import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Deliver } from '../application/deliveries/deliver.js';
import { type Claim, DeliveryRepository, CONCURRENCY_LIMITS } from '../domain/deliveries/delivery.js';

/**
 * Carries what was claimed, and fills the places that become free at once: by the tick alone, a host would take no more
 * than its places with every tick. Nobody waits for a slow receiver but its own host.
 */
@Injectable()
export class DeliveryDispatcher {
  private readonly log = new Logger(DeliveryDispatcher.name);
  private readonly inFlight = new Set<Promise<void>>();
  private readonly freedHosts = new Set<string>();
  private claiming: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly deliver: Deliver,
    private readonly deliveries: DeliveryRepository,
    private readonly clock: Clock,
  ) {}

  /** Begins, and waits for no attempt. What cannot be carried is repeated after its lease. */
  dispatch(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const delivery = this.deliverClaim(claim).finally(() => this.inFlight.delete(delivery));
      this.inFlight.add(delivery);
    }
  }

  /** Resolves when all that was begun has ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.inFlight);
  }

  private async deliverClaim(claim: Claim): Promise<void> {
    try {
      const host = await this.deliver.run(claim);
      if (host !== null) this.refillHost(host);
    } catch (error) {
      this.log.error({ err: error as Error, delivery: claim.id }, 'a delivery failed unexpectedly');
    }
  }

  private refillHost(host: string): void {
    this.freedHosts.add(host);
    if (!this.stopped) this.claiming ??= this.claimFreedHosts();
  }

  private async claimFreedHosts(): Promise<void> {
    try {
      while (this.freedHosts.size > 0 && !this.stopped) {
        const hosts = [...this.freedHosts];
        this.freedHosts.clear();
        this.dispatch(await this.deliveries.claimDueAtHosts(hosts, this.clock.now(), CONCURRENCY_LIMITS.total));
      }
    } catch (error) {
      this.log.warn(`the next tick claims what is due: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // at once: a place that becomes free in between would wait for the tick
    }
  }
}
