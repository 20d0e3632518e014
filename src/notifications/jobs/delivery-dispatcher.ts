import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Deliver } from '../application/deliveries/deliver.js';
import { type Claim, DeliveryRepository, CONCURRENCY_LIMITS } from '../domain/deliveries/delivery.js';

/**
 * Runs claimed deliveries, and claims again for a host as soon as one of its slots becomes free: with the interval
 * alone, a host would get no more deliveries per claim interval than it has slots. A slow receiver delays its own host only.
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

  /** Does not wait for the attempts. A failed run is repeated after its lease. */
  dispatch(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const delivery = this.deliverClaim(claim).finally(() => this.inFlight.delete(delivery));
      this.inFlight.add(delivery);
    }
  }

  /** Resolves when all running deliveries have ended. */
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
      this.log.warn(`claiming failed, the next periodic run continues: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // at once: otherwise a slot that becomes free meanwhile would wait for the next claim
    }
  }
}
