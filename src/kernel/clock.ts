/**
 * In production, `now` returns the database's time, so that processes agree. Time-limited locks (leases) and timeouts
 * do not use this clock.
 */
export abstract class Clock {
  abstract now(): Date;

  /** Returns when the clock last jumped ahead, or null. Durations that began before the jump seem too long. */
  steadySince(): Date | null {
    return null;
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function after(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds);
}

/** Whether an instant lies so far ahead that the clock must have been put back. */
export function isFromFuture(instant: Date, now: Date): boolean {
  return instant.getTime() - now.getTime() > MINUTE;
}

export function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}

export function earliest(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}
