import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Queue } from 'bullmq';
import { Clock } from '../../kernel/clock.js';
import { type Claim, Deliveries } from '../domain/delivery.js';
import { DELIVERIES, type DeliveryJob } from './delivery.queue.js';

const EVERY = 250;

/**
 * Claims due deliveries and rings for each. Any number of schedulers may tick at once: a delivery is claimed by one of
 * them. A job that is lost costs one lease time, after which the delivery is due again.
 */
@Injectable()
export class DeliveryTick {
  private readonly log = new Logger(DeliveryTick.name);
  private running = false;

  constructor(
    private readonly deliveries: Deliveries,
    @InjectQueue(DELIVERIES) private readonly queue: Queue<DeliveryJob>,
    private readonly clock: Clock,
  ) {
    queue.on('error', (error) => this.log.warn(`the queue is away: ${error.message}`));
  }

  @Interval(EVERY)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      await this.claimAndRing();
    } catch (error) {
      this.log.warn(`a tick failed, the next one goes on: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }

  private async claimAndRing(): Promise<void> {
    const claims = await this.deliveries.claimDue(this.clock.now());
    if (claims.length === 0) return;
    try {
      await this.queue.addBulk(claims.map(jobFor));
    } catch (error) {
      await this.deliveries.giveBack(claims); // nobody heard the bell: let the next tick claim them
      throw error;
    }
  }
}

function jobFor(claim: Claim) {
  return { name: 'deliver', data: { deliveries: [claim] }, opts: { jobId: `dlv-${claim.token}` } };
}
