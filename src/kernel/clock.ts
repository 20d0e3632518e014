/**
 * What time it is, as a port. In production the database's time, so that every process agrees; in tests movable.
 * Leases do not use it (they compare with the database's own `now()`), nor do timeouts (they are monotonic).
 */
export abstract class Clock {
  abstract now(): Date;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant `milliseconds` after `from`; negative values go back. */
export function after(from: Date, milliseconds: number): Date {
  return new Date(from.getTime() + milliseconds);
}
