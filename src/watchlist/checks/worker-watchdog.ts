import { Injectable, Logger } from '@nestjs/common';
import type { LeaseBatch } from './leases.repository.js';
import { LeaseConfig } from '../../config/sections.js';
import { after, Clock, MINUTE, SECOND } from '../../kernel/clock.js';
import { ScheduleLagRepository } from './schedule-lag.repository.js';
import { FatalStallSignal } from '../../platform/fatal-stall-signal.js';

/** What this process did since the last snapshot. */
interface ProgressSnapshot {
  readonly hasProgress: boolean;
  /** A batch ran since the last snapshot without ending, or one failed. */
  readonly isStuck: boolean;
}

@Injectable()
export class WorkerProgress {
  private writes = 0;
  private snapshots = 0;
  private hasFailed = false;
  /** The number of snapshots before each batch started. */
  private readonly startedAtSnapshot = new Map<LeaseBatch, number>();

  batchStarted(batch: LeaseBatch): void {
    this.startedAtSnapshot.set(batch, this.snapshots);
  }

  resultsWritten(): void {
    this.writes += 1;
  }

  batchFinished(batch: LeaseBatch): void {
    this.startedAtSnapshot.delete(batch);
  }

  /** An error may be permanent. */
  batchFailed(batch: LeaseBatch): void {
    this.batchFinished(batch);
    this.hasFailed = true;
  }

  snapshotAndReset(): ProgressSnapshot {
    const snapshot = {
      hasProgress: this.writes > 0,
      isStuck: this.hasFailed || [...this.startedAtSnapshot.values()].some((startedAt) => startedAt < this.snapshots),
    };
    this.writes = 0;
    this.hasFailed = false;
    this.snapshots += 1;
    return snapshot;
  }
}

/**
 * What a worker did since the last sample: wrote results; left due names unchecked; had nothing to do; or it is
 * unknown.
 */
type WorkerSample = 'fruitful' | 'undone' | 'nothing' | 'unknown';

export const SAMPLES_PER_LEASE = 6;

/**
 * Distinguishes a stalled worker from an idle one. Claimed names count as a backlog in the second half of their lease
 * only, so it takes two leases in a row: a single lease also runs out when the queue loses its jobs. A lookup that
 * never ends counts in every sample.
 */
class StallDetector {
  private backlogSamples = 0;
  private idleSamples = 0;

  /** @returns whether the worker is stalled */
  record(sample: WorkerSample): boolean {
    this.idleSamples = sample === 'nothing' ? this.idleSamples + 1 : 0;
    if (sample === 'undone') this.backlogSamples += 1;
    // No backlog for a whole lease: other workers did it.
    else if (sample !== 'nothing' || this.idleSamples >= SAMPLES_PER_LEASE) this.backlogSamples = 0;
    return this.backlogSamples >= SAMPLES_PER_LEASE;
  }
}

/** Names that are overdue for less count as on time. */
const OVERDUE_TOLERANCE_MS = MINUTE;
/** A worker gets at least a minute, however short its leases are. */
const MIN_SAMPLE_INTERVAL_MS = 10 * SECOND;

/**
 * Stops a stalled worker, so that its supervisor restarts it. PostgreSQL is the evidence, whatever state the queue is in: claimed names that no worker
 * starts, or a batch that never ends. Unclaimed names do not count: their operator is blocked, its budget is used up,
 * the queue accepts no jobs, or no scheduler runs.
 */
@Injectable()
export class WorkerWatchdog {
  private readonly log = new Logger(WorkerWatchdog.name);
  private readonly detector = new StallDetector();
  private isStopping = false;
  readonly sampleIntervalMs: number;

  constructor(
    private readonly progress: WorkerProgress,
    private readonly lag: ScheduleLagRepository,
    private readonly clock: Clock,
    private readonly stall: FatalStallSignal,
    config: LeaseConfig,
  ) {
    this.sampleIntervalMs = Math.max(MIN_SAMPLE_INTERVAL_MS, (config.leaseSeconds * SECOND) / SAMPLES_PER_LEASE);
  }

  async run(): Promise<void> {
    if (this.isStopping || !(await this.detectStall())) return;
    this.isStopping = true;
    const reason = 'names are due and this worker completes no checks: stopping it for a restart';
    this.log.fatal(reason);
    this.stall.raise(reason);
  }

  async detectStall(): Promise<boolean> {
    return this.detector.record(await this.sample());
  }

  /** The sample is unknown without PostgreSQL: no worker can make progress then. */
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
