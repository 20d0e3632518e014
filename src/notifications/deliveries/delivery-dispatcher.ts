import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CONCURRENCY_LIMITS } from '../domain/delivery.js';
import type { ClaimedDelivery } from './attempt-context.js';
import { Deliver } from './deliver.js';
import { StartAttempts } from './start-attempts.js';

/**
 * Claims and makes attempts: when woken up, and for a host as soon as one of its attempts ends, since it would otherwise
 * get no more deliveries per wake-up than it has slots. A slow receiver delays its own host only.
 */
@Injectable()
export class DeliveryDispatcher {
  private readonly log = new Logger(DeliveryDispatcher.name);
  private readonly inFlight = new Set<Promise<void>>();
  private readonly freedHosts = new Set<string>();
  private wanted = 0;
  private claiming: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly attempts: StartAttempts,
    private readonly deliver: Deliver,
  ) {}

  /** Does not wait for the attempts. One that fails unexpectedly is repeated after its lease. */
  wakeUp(claims: number): void {
    this.wanted += claims;
    this.claimMore();
  }

  /** Claims no more, and resolves when all running attempts have ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.inFlight);
  }

  private claimMore(): void {
    if (!this.stopped) this.claiming ??= this.claimAll();
  }

  private async claimAll(): Promise<void> {
    try {
      while ((this.wanted > 0 || this.freedHosts.size > 0) && !this.stopped) await this.claim();
    } catch (error) {
      this.log.warn(`claiming failed, the next wake-up continues: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // at once: otherwise a slot that becomes free meanwhile would wait for the next claim
    }
  }

  private async claim(): Promise<void> {
    await nextTurn(); // attempts that were recorded together free their hosts together
    const [hosts, wanted] = [[...this.freedHosts], this.wanted];
    this.freedHosts.clear();
    this.wanted = 0;
    if (hosts.length > 0) this.make(await this.attempts.claim(CONCURRENCY_LIMITS.total, hosts));
    if (wanted === 0 || this.stopped) return;
    const claimed = await this.attempts.claim(wanted);
    this.make(claimed);
    if (claimed.length >= wanted) this.wanted += wanted; // there may be more
  }

  private make(claimed: readonly ClaimedDelivery[]): void {
    for (const one of claimed) {
      const ended = this.makeOne(one).finally(() => this.inFlight.delete(ended));
      this.inFlight.add(ended);
    }
  }

  private async makeOne(claimed: ClaimedDelivery): Promise<void> {
    try {
      const host = await this.deliver.run(claimed);
      if (host === null) return;
      this.freedHosts.add(host);
      this.claimMore();
    } catch (error) {
      this.log.error({ err: error as Error, delivery: claimed.id }, 'a delivery failed unexpectedly');
    }
  }
}
