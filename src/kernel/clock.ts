/**
 * The current time, as a port: the database's time in production, so that every process agrees; settable in tests.
 * Leases compare with the database's own `now()` instead, and timeouts use the monotonic timer.
 */
export abstract class Clock {
  abstract now(): Date;

  /**
   * Since when every process has had this time without a jump ahead; null: no such instant is known. The time since an
   * earlier instant may be shorter than the difference of the two says.
   */
  steadySince(): Date | null {
    return null;
  }
}

/** The time of this machine, for programs without a database. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant `milliseconds` after `from`; negative values go back. */
export function after(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds);
}

/** Whether it lies further ahead than the clocks of two processes ever are: then the clock was put back since. */
export function isFromFuture(instant: Date, now: Date): boolean {
  return instant.getTime() - now.getTime() > MINUTE;
}

export function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** Returns the earlier one; null is no time, and leaves the other one. */
export function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
