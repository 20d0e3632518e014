import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type Batch, LeaseChannels } from './lease-channels.js';
import { ServeChannel } from './serve-channel.js';

/** Locks more channels when one is done, because the limit per host may have kept channels waiting. */
@Injectable()
export class DeliveryDispatcher {
  private readonly log = new Logger(DeliveryDispatcher.name);
  private readonly inFlight = new Set<Promise<void>>();
  private wanted = 0;
  private claiming: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly channels: LeaseChannels,
    private readonly serve: ServeChannel,
  ) {}

  /** Does not wait for the attempts. After an unexpected error, a channel is served again when its lock ends. */
  wakeUp(claims: number): void {
    this.wanted += claims;
    this.claimMore();
  }

  /** Starts no more attempts, and resolves when all running attempts have ended. */
  async drain(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.inFlight);
  }

  private claimMore(): void {
    if (!this.stopped) this.claiming ??= this.claimAll();
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.wanted > 0 && !this.stopped) await this.claim();
    } catch (error) {
      this.log.warn(`claiming failed, the next wake-up continues: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // cleared at once, so that a wake-up right now starts the next claim
    }
  }

  private async claim(): Promise<void> {
    await nextTurn(); // lets several wake-ups at the same moment share one claim
    const { wanted } = this;
    this.wanted = 0;
    const { leased, batches } = await this.channels.claim(wanted);
    if (leased >= wanted) this.wanted += wanted; // more channels may wait
    for (const batch of batches) {
      const ended = this.serveOne(batch).finally(() => this.inFlight.delete(ended));
      this.inFlight.add(ended);
    }
  }

  private async serveOne(batch: Batch): Promise<void> {
    try {
      await this.serve.run(batch);
    } catch (error) {
      this.log.error({ err: error as Error, channel: batch.channel.id }, 'a channel failed unexpectedly');
    }
    this.wakeUp(CLAIMS_AFTER_ONE);
  }
}

/** How many more channels a worker may lock when it is done with one channel. */
const CLAIMS_AFTER_ONE = 5;
