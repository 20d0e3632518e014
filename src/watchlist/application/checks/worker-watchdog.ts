import { Injectable, Logger } from '@nestjs/common';
import { LeaseConfig } from '../../../config/sections.js';
import { after, Clock, MINUTE, SECOND } from '../../../kernel/clock.js';
import { ScheduleLagReader } from '../ports/schedule-lag-reader.js';
import { type WorkerSample, SAMPLES_PER_LEASE, StallDetector } from '../../domain/policies/stall-detector.js';
import { WorkerProgress } from './worker-progress.js';

/** Names that are due for less are hardly late. */
const OVERDUE_TOLERANCE_MS = MINUTE;
/** However short leases are, a worker has a minute. */
const MIN_SAMPLE_INTERVAL_MS = 10 * SECOND;

/**
 * Whether this worker still does its work. PostgreSQL tells, whatever is the matter with the queue: names lie there that
 * a scheduler claimed and rang for, or a batch that began here does not end. Names that nobody claims are no matter of a
 * worker: their operator is left alone, its budget is spent, the queue takes no jobs, or no scheduler runs.
 */
@Injectable()
export class WorkerWatchdog {
  private readonly log = new Logger(WorkerWatchdog.name);
  private readonly detector = new StallDetector();
  /** Milliseconds between two glances. */
  readonly sampleIntervalMs: number;

  constructor(
    private readonly progress: WorkerProgress,
    private readonly lag: ScheduleLagReader,
    private readonly clock: Clock,
    config: LeaseConfig,
  ) {
    this.sampleIntervalMs = Math.max(MIN_SAMPLE_INTERVAL_MS, (config.leaseSeconds * SECOND) / SAMPLES_PER_LEASE);
  }

  /** To be asked at every glance. */
  async detectStall(): Promise<boolean> {
    return this.detector.record(await this.sample());
  }

  /** While PostgreSQL is away no worker can do anything, and none is to blame. */
  private async sample(): Promise<WorkerSample> {
    const { hasProgress: isFruitful, isStuck: isHeldUp } = this.progress.snapshotAndReset();
    if (isFruitful) return 'fruitful';
    try {
      const hasUnstartedClaims = await this.lag.hasUnstartedClaims(after(this.clock.now(), -OVERDUE_TOLERANCE_MS));
      return isHeldUp || hasUnstartedClaims ? 'undone' : 'nothing';
    } catch (error) {
      this.log.warn(`cannot tell whether names are left undone: ${(error as Error).message}`);
      return 'unknown';
    }
  }
}
