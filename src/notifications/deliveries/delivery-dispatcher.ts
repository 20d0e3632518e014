import { Injectable, Logger } from '@nestjs/common';
import { Deliver } from './deliver.js';
import { RecordSuccesses } from './record-successes.js';
import { type NextAttempts, StartNextAttempts } from './start-next-attempts.js';
import type { Claim } from '../domain/delivery.js';

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
    private readonly startNext: StartNextAttempts,
    private readonly successes: RecordSuccesses,
  ) {
    successes.onNext((next) => this.make(next));
  }

  /** Does not wait for the attempts. A failed run is repeated after its lease. */
  dispatch(claims: readonly Claim[]): void {
    for (const claim of claims) this.track(claim.id, this.deliver.run(claim));
  }

  /** Resolves when all running deliveries have ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    this.successes.onNext(null);
    await this.claiming;
    while (this.inFlight.size > 0) await Promise.all(this.inFlight); // a batch that was being recorded starts others
  }

  private make({ started, claims }: NextAttempts): void {
    const turn = nextBatchSent();
    for (const context of started)
      this.track(
        context.claim.id,
        turn.then(() => this.deliver.attempt(context)),
      );
    this.dispatch(claims);
  }

  private track(id: string, attempt: Promise<string | null>): void {
    const ended = this.refillAfter(id, attempt).finally(() => this.inFlight.delete(ended));
    this.inFlight.add(ended);
  }

  private async refillAfter(id: string, attempt: Promise<string | null>): Promise<void> {
    try {
      const host = await attempt;
      if (host !== null) this.refillHost(host);
    } catch (error) {
      this.log.error({ err: error as Error, delivery: id }, 'a delivery failed unexpectedly');
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
        this.make(await this.startNext.run(hosts));
      }
    } catch (error) {
      this.log.warn(`claiming failed, the next periodic run continues: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // at once: otherwise a slot that becomes free meanwhile would wait for the next claim
    }
  }
}

/**
 * Two turns of the event loop: in the first, what has ended goes to PostgreSQL as the next batch. It would be idle while
 * up to a hundred requests are written.
 */
function nextBatchSent(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
