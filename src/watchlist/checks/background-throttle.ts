import { Injectable } from '@nestjs/common';
import { after } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { FairSemaphore } from '../../platform/concurrency/fair-semaphore.js';

/** Pieces of work started per turn of the event loop. */
const STARTS_PER_TURN = 8;
/** Pause between two turns while the API is in use. */
const PAUSE_MS = 20;
/** How late routine names are claimed while a request is worked on. Schedules lead by more than that. */
const ROUTINE_DELAY_SECONDS = 5;

/**
 * Starts background work in small portions: as fast as the event loop allows while the API is idle; while it is in use,
 * one batch at a time and 400 pieces per second. Requests delay lookups and
 * never stop them.
 */
@Injectable()
export class BackgroundThrottle {
  private waiting: (() => void)[] = [];
  private running: Promise<void> | null = null;
  private batches = 0;

  constructor(
    private readonly requests: FairSemaphore,
    private readonly units: TimeUnits,
  ) {}

  /** Begins the batch now, or when those before it have ended: its leases are not begun while it waits. */
  async runBatch<Result>(batch: () => Promise<Result>): Promise<Result> {
    while (this.batches > 0 && this.requests.wasRecentlyActive) await pause(PAUSE_MS);
    this.batches += 1;
    try {
      return await batch();
    } finally {
      this.batches -= 1;
    }
  }

  /** When routine names must have been due: an import is not slowed by the checks of its own names. */
  routineDueBefore(now: Date): Date {
    return this.requests.activeCount > 0 ? after(now, -ROUTINE_DELAY_SECONDS * this.units.second) : now;
  }

  /** Resolves when the next piece of work may start, first come first served. */
  waitForTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.running ??= this.run();
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.requests.wasRecentlyActive) await pause(PAUSE_MS);
      for (const start of this.waiting.splice(0, STARTS_PER_TURN)) start();
      await new Promise(setImmediate);
    }
    this.running = null; // in the same tick as the last check of the queue
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
