import { Logger } from '@nestjs/common';
import type { QueueProducer, WakeUpJob } from './queue-producer.js';

/** What is due, how it is claimed under a lease, and how a claim is told to a worker. */
export interface ClaimSource<Claim> {
  readonly batchSize: number;
  readonly claim: (limit: number) => Promise<readonly Claim[]>;
  /** For claims that could not be passed on, so that nobody waits for their leases to run out. */
  readonly releaseClaims: (claims: readonly Claim[]) => Promise<void>;
  readonly toJob: (claim: Claim) => WakeUpJob;
}

/**
 * Claims what is due and rings for it. Any number of processes may run one: each thing is claimed by one of them. A
 * job that is lost costs one lease time, after which the thing is due again.
 */
export class ClaimDispatcher<Claim> {
  private readonly log = new Logger(ClaimDispatcher.name);
  private running: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly producer: QueueProducer,
    private readonly source: ClaimSource<Claim>,
  ) {}

  /** One tick: all that is due now. Ticks do not overlap, and one that fails leaves the rest to the next. */
  tick(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    this.running ??= this.claimAll().finally(() => (this.running = null));
    return this.running;
  }

  /** No more claims: this process is about to end, and others can work on them sooner. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async claimAll(): Promise<void> {
    try {
      while (!this.stopped && (await this.claimAndEnqueue()) === this.source.batchSize);
    } catch (error) {
      this.log.warn(`a tick failed, the next one goes on: ${(error as Error).message}`);
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
