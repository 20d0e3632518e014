import { DAY, HOUR, MINUTE, SECOND } from './clock.js';

/**
 * Units that TIME_SCALE shortens, for business rules such as intervals. Timeouts and time-limited locks (leases) use
 * real time.
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
