import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Queue } from 'bullmq';
import { Clock } from '../../kernel/clock.js';
import { Leases } from '../domain/watched-name.js';
import { type CheckJob, CHECKS } from './check.queue.js';

const EVERY = 250;
const BATCH = 500;

/**
 * Claims due names and rings for each. Any number of schedulers may tick at once: a name is claimed by one of them.
 * A job that is lost costs one lease time, after which the name is due again.
 */
@Injectable()
export class CheckTick {
  private readonly log = new Logger(CheckTick.name);
  private running = false;

  constructor(
    private readonly leases: Leases,
    @InjectQueue(CHECKS) private readonly queue: Queue<CheckJob>,
    private readonly clock: Clock,
  ) {
    queue.on('error', (error) => this.log.warn(`the queue is away: ${error.message}`));
  }

  @Interval(EVERY)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while ((await this.claimAndRing()) === BATCH);
    } catch (error) {
      this.log.warn(`a tick failed, the next one goes on: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }

  private async claimAndRing(): Promise<number> {
    const claimed = await this.leases.claimDue(this.clock.now(), BATCH);
    if (claimed.length === 0) return 0;
    try {
      await this.queue.addBulk(
        claimed.map(({ name, token }) => ({ name: 'check', data: { name, token }, opts: { jobId: `chk-${token}` } })),
      );
    } catch (error) {
      await this.leases.giveBack(claimed); // nobody heard the bell: let the next tick claim them
      throw error;
    }
    return claimed.length;
  }
}
