/**
 * What a worker sees of its own work since the last glance at it: looks were written down; names were left undone that
 * it should have looked at; there was nothing for it to do; or nobody can tell.
 */
export type WorkerSample = 'fruitful' | 'undone' | 'nothing' | 'unknown';

/** Glances in the time of a lease. */
export const SAMPLES_PER_LEASE = 6;

/**
 * Tells a worker that has come to a standstill from one that has nothing to do. Names that nobody begins are seen as
 * undone in the second half of their lease only, so that it takes two leases in a row: a single one runs out whenever
 * a queue loses its jobs, and the worker is not to blame. A look that does not end is seen at every glance.
 */
export class StallDetector {
  private backlogSamples = 0;
  private idleSamples = 0;

  /** @returns whether the worker is to be given up. */
  record(sample: WorkerSample): boolean {
    this.idleSamples = sample === 'nothing' ? this.idleSamples + 1 : 0;
    if (sample === 'undone') this.backlogSamples += 1;
    // For a whole lease nothing was left undone: others did it.
    else if (sample !== 'nothing' || this.idleSamples >= SAMPLES_PER_LEASE) this.backlogSamples = 0;
    return this.backlogSamples >= SAMPLES_PER_LEASE;
  }
}
