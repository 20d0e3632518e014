import { after, type Clock, DAY, HOUR, MINUTE, SECOND } from '../kernel/clock.js';

export interface Span {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

/** The service's clock, which a test can move forward. Timeouts and time-limited locks (leases) use real time. */
export class MovableClock {
  private aheadMs = 0;

  private constructor(private readonly clock: Clock) {}

  static takeOver(clock: Clock): MovableClock {
    const movable = new MovableClock(clock);
    const readTime = clock.now.bind(clock);
    clock.now = () => after(readTime(), movable.aheadMs);
    return movable;
  }

  now(): Date {
    return this.clock.now();
  }

  /** Moves the clock forward. The service then does due work within a second. */
  advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Span): void {
    this.aheadMs += days * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
  }
}
