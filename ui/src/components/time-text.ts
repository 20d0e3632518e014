const MINUTE = 60_000;
const UNITS = [
  { unit: 'year', ms: 365 * 24 * 60 * MINUTE },
  { unit: 'month', ms: 30 * 24 * 60 * MINUTE },
  { unit: 'day', ms: 24 * 60 * MINUTE },
  { unit: 'hour', ms: 60 * MINUTE },
  { unit: 'minute', ms: MINUTE },
  { unit: 'second', ms: 1_000 },
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const precise = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** `in 3 hours`, `2 days ago`. */
export function describeDistance(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime();
  const { unit, ms } = UNITS.find((one) => Math.abs(distance) >= one.ms) ?? { unit: 'second', ms: 1_000 };
  return relative.format(Math.trunc(distance / ms), unit);
}

/** `22 Nov 2026, 14:05` in the reader's time zone. */
export function describeInstant(at: Date): string {
  return absolute.format(at);
}

/** `22 Nov 2026, 14:05:09` in the reader's time zone. */
export function describeSecond(at: Date): string {
  return precise.format(at);
}

/** `22 Nov 2026` */
export function describeDay(at: Date): string {
  return day.format(at);
}
