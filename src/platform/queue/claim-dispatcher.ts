import { Logger } from '@nestjs/common';
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
  private readonly log = new Logger(ClaimDispatcher.name);
  private running: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly producer: QueueProducer,
    private readonly source: ClaimSource<Claim>,
  ) {}

  /** Claims all that is due. Ticks do not overlap; a failed tick leaves the rest to the next. */
  tick(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.running ??= this.claimAll().finally(() => (this.running = null));
    return this.running;
  }

  /** Stops claiming before shutdown, so that other processes take the work. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async claimAll(): Promise<void> {
    try {
      while (!this.stopped && (await this.claimAndEnqueue()) === this.source.batchSize);
    } catch (error) {
      this.log.warn(`claiming failed, the next tick continues:  ${(error as Error).message}`);
    }
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
