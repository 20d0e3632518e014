import { Injectable } from '@nestjs/common';
import type { LeaseBatch } from '../ports/lease-repository.js';

/** What this process did since it was last asked. */
export interface ProgressSnapshot {
  /** Looks were written down. */
  readonly isFruitful: boolean;
  /** A batch was under way all that time, or one failed. */
  readonly isHeldUp: boolean;
}

/** Whether this process gets anything done. */
@Injectable()
export class WorkerProgress {
  private looks = 0;
  private notes = 0;
  private hasFailed = false;
  /** When each batch began: so many notes had been taken. */
  private readonly underWay = new Map<LeaseBatch, number>();

  begins(batch: LeaseBatch): void {
    this.underWay.set(batch, this.notes);
  }

  /** Looks were written down. */
  made(): void {
    this.looks += 1;
  }

  ends(batch: LeaseBatch): void {
    this.underWay.delete(batch);
  }

  /** Whatever threw may throw for good. */
  fails(batch: LeaseBatch): void {
    this.ends(batch);
    this.hasFailed = true;
  }

  takeNote(): ProgressSnapshot {
    const note = {
      isFruitful: this.looks > 0,
      isHeldUp: this.hasFailed || [...this.underWay.values()].some((begun) => begun < this.notes),
    };
    this.looks = 0;
    this.hasFailed = false;
    this.notes += 1;
    return note;
  }
}
