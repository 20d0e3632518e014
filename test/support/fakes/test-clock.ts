import { Clock } from '../../../src/kernel/clock.js';

/** Time that stands still until the test moves it. */
export class TestClock extends Clock {
  private instant: number;

  constructor(start = '2026-11-21T12:00:00Z') {
    super();
    this.instant = Date.parse(start);
  }

  now(): Date {
    return new Date(this.instant);
  }

  advance(milliseconds: number): void {
    this.instant += milliseconds;
  }
}
