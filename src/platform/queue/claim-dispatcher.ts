import type { QueueProducer, WakeUpJob } from './queue-producer.js';

/** How due work is claimed under a lease, and how a claim becomes a job. */
export interface ClaimSource<Claim> {
  readonly batchSize: number;
  readonly claim: (limit: number) => Promise<readonly Claim[]>;
  /** For claims that could not be enqueued, so that they need not wait for their leases to expire. */
  readonly releaseClaims: (claims: readonly Claim[]) => Promise<void>;
  readonly toJob: (claim: Claim) => WakeUpJob;
}

/**
 * Claims due work and enqueues a job for each claim. Any number of processes may run one; each item is claimed once. A
 * lost job costs one lease time, after which the work is due again.
 */
export class ClaimDispatcher<Claim> {
  constructor(
    private readonly producer: QueueProducer,
    private readonly source: ClaimSource<Claim>,
  ) {}

  /** Claims all that is due now. After the signal it claims no more: other processes can take it sooner. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.claimAndEnqueue()) === this.source.batchSize);
  }

  private async claimAndEnqueue(): Promise<number> {
    const { batchSize, claim, releaseClaims, toJob } = this.source;
    const claims = await claim(batchSize);
    if (claims.length === 0) return 0;
    try {
      await this.producer.enqueue(claims.map(toJob));
    } catch (error) {
      await releaseClaims(claims);
      throw error;
    }
    return claims.length;
  }
}
