import { Injectable } from '@nestjs/common';
import { RequestActivity } from '../../../kernel/request-activity.js';

/** Begun at a time; then the event loop has a turn, and requests with it. */
const STARTS_PER_TURN = 8;
/** Between two such portions while people use the API; milliseconds. */
const PAUSE_MS = 20;

/**
 * Begins the background work of this process a little at a time: as much as the event loop takes while no one uses the
 * API, 400 pieces a second while someone does, so that requests delay lookups and never stop them.
 */
@Injectable()
export class BackgroundThrottle {
  private waiting: (() => void)[] = [];
  private running: Promise<void> | null = null;

  constructor(private readonly foreground: RequestActivity) {}

  /** Resolves when the next piece of work may begin, in the order of asking. */
  waitForTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.foreground.wasRecentlyActive) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      for (const start of this.waiting.splice(0, STARTS_PER_TURN)) start();
      await new Promise(setImmediate);
    }
    this.running = null; // in the same breath as the last look at who waits
  }
}
