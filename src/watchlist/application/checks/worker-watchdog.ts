import { Injectable, Logger } from '@nestjs/common';
import { LeaseConfig } from '../../../config/sections.js';
import { after, Clock, MINUTE, SECOND } from '../../../kernel/clock.js';
import { ScheduleLagReader } from '../ports/schedule-lag-reader.js';
import { type WorkerSample, SAMPLES_PER_LEASE, StallDetector } from '../../domain/policies/stall-detector.js';
import { WorkerProgress } from './worker-progress.js';

/** Names that are due for less are hardly late. */
const LATE = MINUTE;
/** However short leases are, a worker has a minute. */
const LEAST = 10 * SECOND;

/**
 * Whether this worker still does its work. PostgreSQL tells, whatever is the matter with the queue: names lie there that
 * a scheduler claimed and rang for, or a batch that began here does not end. Names that nobody claims are no matter of a
 * worker: their operator is left alone, its budget is spent, the queue takes no jobs, or no scheduler runs.
 */
@Injectable()
export class WorkerWatchdog {
  private readonly log = new Logger(WorkerWatchdog.name);
  private readonly standstill = new StallDetector();
  /** Milliseconds between two glances. */
  readonly judgedEvery: number;

  constructor(
    private readonly progress: WorkerProgress,
    private readonly lag: ScheduleLagReader,
    private readonly clock: Clock,
    config: LeaseConfig,
  ) {
    this.judgedEvery = Math.max(LEAST, (config.leaseSeconds * SECOND) / SAMPLES_PER_LEASE);
  }

  /** To be asked at every glance. */
  async isAtAStandstill(): Promise<boolean> {
    return this.standstill.isAfter(await this.glance());
  }

  /** While PostgreSQL is away no worker can do anything, and none is to blame. */
  private async glance(): Promise<WorkerSample> {
    const { isFruitful, isHeldUp } = this.progress.takeNote();
    if (isFruitful) return 'fruitful';
    try {
      const isUnheard = await this.lag.isUnheard(after(this.clock.now(), -LATE));
      return isHeldUp || isUnheard ? 'undone' : 'nothing';
    } catch (error) {
      this.log.warn(`cannot tell whether names are left undone: ${(error as Error).message}`);
      return 'unknown';
    }
  }
}
