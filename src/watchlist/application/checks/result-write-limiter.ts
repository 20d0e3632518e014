import { Injectable } from '@nestjs/common';
import { WorkerConfig } from '../../../config/sections.js';
import { SECOND } from '../../../kernel/clock.js';
import { DatabaseUnavailable } from '../../../kernel/unit-of-work.js';

/** Transactions under way at a time: more would only wait for connections, each with all it has in memory. */
const AT_A_TIME = 8;
const AGAIN_AFTER = SECOND / 4;

/**
 * Writes down what looks told, a few at a time. What the database could not take, for want of a connection for instance,
 * is written again for half a lease: the registry was asked, and would be asked anew when the lease is over.
 */
@Injectable()
export class ResultWriteLimiter {
  private readonly places: number;
  private readonly patience: number;
  private underWay = 0;
  private readonly waiting: (() => void)[] = [];

  constructor({ databasePool, leaseSeconds }: WorkerConfig) {
    this.places = Math.min(AT_A_TIME, databasePool);
    this.patience = (leaseSeconds * SECOND) / 2;
  }

  /** @param write harmless to repeat, since it ends a lease and writes nothing without one */
  async run<Result>(write: () => Promise<Result>): Promise<Result> {
    const end = performance.now() + this.patience;
    if (this.underWay >= this.places) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.underWay += 1;
    try {
      return await this.untilTaken(write, end);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.underWay -= 1;
    }
  }

  private async untilTaken<Result>(write: () => Promise<Result>, end: number): Promise<Result> {
    for (;;)
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
      }
  }
}
