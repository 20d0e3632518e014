import { DAY, HOUR, MINUTE, SECOND } from './clock.js';

/**
 * The lengths of a second, minute, hour and day for business rules, such as intervals, retention and retries.
 * TIME_SCALE shortens only these. Timeouts and leases keep to real time and do not use them.
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
