import { Injectable } from '@nestjs/common';
import type { LeaseBatch } from '../ports/lease-repository.js';

/** What this process did since it was last asked. */
export interface ProgressSnapshot {
  /** Looks were written down. */
  readonly hasProgress: boolean;
  /** A batch was under way all that time, or one failed. */
  readonly isStuck: boolean;
}

/** Whether this process gets anything done. */
@Injectable()
export class WorkerProgress {
  private writes = 0;
  private snapshots = 0;
  private hasFailed = false;
  /** When each batch began: so many notes had been taken. */
  private readonly startedAtSnapshot = new Map<LeaseBatch, number>();

  batchStarted(batch: LeaseBatch): void {
    this.startedAtSnapshot.set(batch, this.snapshots);
  }

  /** Looks were written down. */
  resultsWritten(): void {
    this.writes += 1;
  }

  batchFinished(batch: LeaseBatch): void {
    this.startedAtSnapshot.delete(batch);
  }

  /** Whatever threw may throw for good. */
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
