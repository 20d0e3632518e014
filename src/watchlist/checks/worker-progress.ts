import { Injectable } from '@nestjs/common';
import type { LeaseBatch } from './leases.repository.js';

/** What this process did since the last snapshot. */
export interface ProgressSnapshot {
  /** Results were written. */
  readonly hasProgress: boolean;
  /** A batch ran since the last snapshot without ending, or one failed. */
  readonly isStuck: boolean;
}

/** Counts what this process gets done. */
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

  /** Results were written. */
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
