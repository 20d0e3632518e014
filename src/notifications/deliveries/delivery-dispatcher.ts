import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Batch } from './attempt-context.js';
import { LeaseChannels } from './lease-channels.js';
import { ServeChannel } from './serve-channel.js';

/**
 * Leases channels and sends to them. Claims again as soon as a channel is done: it may have more to send, and another
 * channel may wait for its place. A slow receiver delays only its own host.
 */
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

  /** Does not wait for the attempts. A channel that fails unexpectedly is served again when its lease ends. */
  wakeUp(claims: number): void {
    this.wanted += claims;
    this.claimMore();
  }

  /** Stops claiming, and resolves when all running attempts have ended. */
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
      this.claiming = null; // at once: otherwise a channel that is served meanwhile would wait for the next claim
    }
  }

  private async claim(): Promise<void> {
    await nextTurn(); // channels that were served together are claimed together
    const { wanted } = this;
    this.wanted = 0;
    const { leased, batches } = await this.channels.claim(wanted);
    if (leased >= wanted) this.wanted += wanted; // there may be more
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

/** How many channels to claim when one is done: itself, and others that waited for its host or account. */
const CLAIMS_AFTER_ONE = 5;
