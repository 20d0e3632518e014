import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type Batch, LeaseChannels } from './lease-channels.js';
import { ServeChannel } from './serve-channel.js';

/** The most channels to lock after each look for due deliveries. With a smaller number, more workers share the channels. */
const CHANNELS_AT_A_TIME = 100;
/** How many more channels a worker may lock when it is done with one channel. */
const CHANNELS_AFTER_ONE = 5;

/**
 * Locks due channels for a limited time and sends to them. Locks more channels when a channel is done, because the
 * limit per host may have kept channels of the same host waiting. A slow receiver delays only its own host.
 */
@Injectable()
export class DeliveryDispatcher implements BeforeApplicationShutdown {
  private readonly log = new Logger(DeliveryDispatcher.name);
  private readonly inFlight = new Set<Promise<void>>();
  private wanted = 0;
  private claiming: Promise<void> | null = null;
  private stopped = false;

  constructor(
    private readonly channels: LeaseChannels,
    private readonly serve: ServeChannel,
  ) {}

  /**
   * Starts sending if any delivery is due, and does not wait for the attempts. Several workers may run this, because
   * each channel is locked. After an unexpected error, a channel is served again when its lock ends.
   * @returns whether any channel has something due
   */
  async run(): Promise<boolean> {
    const isAnyReady = await this.channels.isAnyReady();
    if (isAnyReady) this.claimMore(CHANNELS_AT_A_TIME);
    return isAnyReady;
  }

  /** Starts no more attempts, and resolves when all running attempts have ended. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    await Promise.all(this.inFlight);
  }

  private claimMore(channels: number): void {
    this.wanted += channels;
    if (!this.stopped) this.claiming ??= this.claimAll();
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.wanted > 0 && !this.stopped) await this.claim();
    } catch (error) {
      this.log.warn(`claiming failed, the next run continues: ${(error as Error).message}`);
    } finally {
      this.claiming = null; // cleared at once, so that a channel that is done right now starts the next claim
    }
  }

  private async claim(): Promise<void> {
    await nextTurn(); // lets several channels that are done at the same moment share one claim
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
    this.claimMore(CHANNELS_AFTER_ONE);
  }
}
