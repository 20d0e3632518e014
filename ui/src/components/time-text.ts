const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const UNITS = [
  { unit: 'hour', ms: 60 * MINUTE },
  { unit: 'minute', ms: MINUTE },
  { unit: 'second', ms: 1_000 },
] as const;
/** Up to this many days are shown as days. More are shown as months or years. */
const MAX_DAYS = 60;
const MONTH_DAYS = 30;
const YEAR_DAYS = 365;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const counted = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const precise = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/**
 * Returns a text such as `in 3 hours` or `2 days ago`. Counts whole days in UTC, as registries and messages do. So the
 * number of days is the same at every hour of a day.
 */
export function describeDistance(at: Date, now: Date): string {
  const distance = at.getTime() - now.getTime();
  if (Math.abs(distance) >= DAY) return describeDays(daysBetween(now, at));
  const { unit, ms } = UNITS.find((one) => Math.abs(distance) >= one.ms) ?? { unit: 'second', ms: 1_000 };
  return relative.format(Math.trunc(distance / ms), unit);
}

function daysBetween(from: Date, to: Date): number {
  return Math.floor(to.getTime() / DAY) - Math.floor(from.getTime() / DAY);
}

function describeDays(days: number): string {
  const count = Math.abs(days);
  if (count <= MAX_DAYS) return relative.format(days, 'day');
  if (count < YEAR_DAYS) return counted.format(Math.trunc(days / MONTH_DAYS), 'month');
  return counted.format(Math.trunc(days / YEAR_DAYS), 'year');
}

/** Returns a text such as `22 Nov 2026, 14:05` in the reader's time zone. */
export function describeInstant(at: Date): string {
  return absolute.format(at);
}

/** Returns a text such as `22 Nov 2026, 14:05:09` in the reader's time zone. */
export function describeSecond(at: Date): string {
  return precise.format(at);
}

/** Returns a day such as `22 Nov 2026`, in UTC like the days of registries and messages. */
export function describeDay(at: Date): string {
  return day.format(at);
}

/** Returns how near an expiry is, which chooses its colour. */
export function nearness(at: Date, now: Date): 'past' | 'week' | 'month' | 'far' {
  if (at < now) return 'past';
  const days = daysBetween(now, at);
  return days <= 7 ? 'week' : days <= 30 ? 'month' : 'far';
}
