import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { after } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { AccountLines } from '../../platform/concurrency/account-lines.js';

/** How many pieces of work start before the event loop may serve requests again. */
const STARTS_PER_TURN = 8;
/** How long to pause after each portion of work while the API is in use. */
const PAUSE_MS = 20;
/** How long a running request delays routine checks, which are scheduled a little early to make up for the delay. */
const ROUTINE_DELAY_SECONDS = 5;

/** Slows down routine checks while the API is in use (at most 400 lookups a second), but never stops them. */
@Injectable()
export class BackgroundThrottle {
  private turn = Promise.resolve();
  private started = 0;
  private batches = 0;

  constructor(
    private readonly requests: AccountLines,
    private readonly units: TimeUnits,
  ) {}

  /** Runs a batch. While the API is in use, first waits until the earlier batches have ended. */
  async runBatch<Result>(batch: () => Promise<Result>): Promise<Result> {
    while (this.batches > 0 && this.requests.wasRecentlyActive) await pause(PAUSE_MS);
    this.batches += 1;
    try {
      return await batch();
    } finally {
      this.batches -= 1;
    }
  }

  /**
   * Returns the time by which a name must be due for a routine check. While a request runs, names that became due
   * recently wait.
   */
  routineDueBefore(now: Date): Date {
    return this.requests.activeCount > 0 ? after(now, -ROUTINE_DELAY_SECONDS * this.units.second) : now;
  }

  /** Resolves when the caller may start its next piece of work. Earlier calls resolve first. */
  waitForTurn(): Promise<void> {
    if (this.started % STARTS_PER_TURN === 0) this.turn = this.turn.then(() => this.nextTurn());
    this.started += 1;
    return this.turn;
  }

  private nextTurn(): Promise<void> {
    return this.requests.wasRecentlyActive ? pause(PAUSE_MS) : nextTurn();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
