/**
 * The current time. In production it is the database's time, so that every process agrees; tests can set it. Leases
 * compare with the database's own `now()` instead, and timeouts use the monotonic timer.
 */
export abstract class Clock {
  abstract now(): Date;

  /**
   * Returns since when every process has had this time without a jump ahead, or null if unknown. If an interval begins
   * earlier, less time may have passed than the difference of its ends.
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

/** Returns the instant `milliseconds` after `from`; a negative number goes back. */
export function after(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds);
}

/** Whether an instant lies so far ahead that the clock must have been put back since. */
export function isFromFuture(instant: Date, now: Date): boolean {
  return instant.getTime() - now.getTime() > MINUTE;
}

export function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** Returns the earlier instant. Null counts as no instant. */
export function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
