import { Injectable } from '@nestjs/common';
import { Foreground } from '../../kernel/foreground.js';

/** Begun at a time; then the event loop has a turn, and requests with it. */
const AT_A_TURN = 8;
/** However many requests follow each other, background work goes on after so long; milliseconds. */
const LONGEST_WAIT = 20;

/**
 * Begins the background work of this process a little at a time, and while no request is worked on: at least 400 pieces a
 * second all the same, so that requests delay looks and never stop them.
 */
@Injectable()
export class BackgroundPace {
  private waiting: (() => void)[] = [];
  private running: Promise<void> | null = null;

  constructor(private readonly foreground: Foreground) {}

  /** Resolves when the next piece of work may begin, in the order of asking. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.foreground.isBusy) await this.foreground.idle(LONGEST_WAIT);
      for (const begin of this.waiting.splice(0, AT_A_TURN)) begin();
      await new Promise(setImmediate);
    }
    this.running = null; // in the same breath as the last look at who waits
  }
}
