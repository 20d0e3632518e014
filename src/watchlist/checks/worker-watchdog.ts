import { Injectable, Logger } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { after, Clock, MINUTE, SECOND } from '../../kernel/clock.js';
import { ScheduleLagRepository } from './schedule-lag.repository.js';
import { type WorkerSample, SAMPLES_PER_LEASE, StallDetector } from '../domain/stall-detector.js';
import { WorkerProgress } from './worker-progress.js';

/** Names that are overdue for less count as on time. */
const OVERDUE_TOLERANCE_MS = MINUTE;
/** A worker gets at least a minute, however short its leases are. */
const MIN_SAMPLE_INTERVAL_MS = 10 * SECOND;

/**
 * Detects a stalled worker. PostgreSQL is the evidence, whatever state the queue is in: claimed names that no worker
 * starts, or a batch that never ends. Unclaimed names do not count: their operator is blocked, its budget is used up,
 * the queue accepts no jobs, or no scheduler runs.
 */
@Injectable()
export class WorkerWatchdog {
  private readonly log = new Logger(WorkerWatchdog.name);
  private readonly detector = new StallDetector();
  /** Time between two samples. */
  readonly sampleIntervalMs: number;

  constructor(
    private readonly progress: WorkerProgress,
    private readonly lag: ScheduleLagRepository,
    private readonly clock: Clock,
    config: LeaseConfig,
  ) {
    this.sampleIntervalMs = Math.max(MIN_SAMPLE_INTERVAL_MS, (config.leaseSeconds * SECOND) / SAMPLES_PER_LEASE);
  }

  /** Call once per sample interval. */
  async detectStall(): Promise<boolean> {
    return this.detector.record(await this.sample());
  }

  /** Without PostgreSQL no worker can make progress, so the sample is unknown. */
  private async sample(): Promise<WorkerSample> {
    const { hasProgress: isFruitful, isStuck: isHeldUp } = this.progress.snapshotAndReset();
    if (isFruitful) return 'fruitful';
    try {
      const hasUnstartedClaims = await this.lag.hasUnstartedClaims(after(this.clock.now(), -OVERDUE_TOLERANCE_MS));
      return isHeldUp || hasUnstartedClaims ? 'undone' : 'nothing';
    } catch (error) {
      this.log.warn(`cannot sample the backlog of claimed names: ${(error as Error).message}`);
      return 'unknown';
    }
  }
}
