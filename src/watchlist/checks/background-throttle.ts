import { Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../platform/concurrency/fair-semaphore.js';

/** Pieces of work started per turn of the event loop. */
const STARTS_PER_TURN = 8;
/** Pause between two turns while the API is in use. */
const PAUSE_MS = 20;

/**
 * Starts background work in small portions: as fast as the event loop allows while the API is idle, 400 pieces per
 * second while it is in use. Requests delay lookups and never stop them.
 */
@Injectable()
export class BackgroundThrottle {
  private waiting: (() => void)[] = [];
  private running: Promise<void> | null = null;

  constructor(private readonly requests: FairSemaphore) {}

  /** Resolves when the next piece of work may start, first come first served. */
  waitForTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.requests.wasRecentlyActive) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      for (const start of this.waiting.splice(0, STARTS_PER_TURN)) start();
      await new Promise(setImmediate);
    }
    this.running = null; // in the same tick as the last check of the queue
  }
}
