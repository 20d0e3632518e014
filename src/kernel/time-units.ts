import { DAY, HOUR, MINUTE, SECOND } from './clock.js';

/**
 * The units of business time in milliseconds: intervals, retention, retries. TIME_SCALE shortens all of them here and
 * nowhere else. The times that protect a machine or a connection (timeouts, leases) are real and do not use these
 * units.
 */
export class TimeUnits {
  static readonly REAL = new TimeUnits(SECOND, MINUTE, HOUR, DAY);

  private constructor(
    readonly second: number,
    readonly minute: number,
    readonly hour: number,
    readonly day: number,
  ) {}

  static fromScale(scale: number): TimeUnits {
    return scale === 1 ? this.REAL : new TimeUnits(SECOND / scale, MINUTE / scale, HOUR / scale, DAY / scale);
  }
}
