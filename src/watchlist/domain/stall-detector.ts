/**
 * What a worker did since the last sample: wrote results; left due names unchecked; had nothing to do; or it is
 * unknown.
 */
export type WorkerSample = 'fruitful' | 'undone' | 'nothing' | 'unknown';

/** Samples per lease time. */
export const SAMPLES_PER_LEASE = 6;

/**
 * Distinguishes a stalled worker from an idle one. Claimed names count as a backlog in the second half of their lease
 * only, so it takes two leases in a row: a single lease also runs out when the queue loses its jobs. A lookup that
 * never ends counts in every sample.
 */
export class StallDetector {
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
