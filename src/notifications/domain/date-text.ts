const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Writes a day, such as `24 November 2026`, in UTC as registries count days. Returns null for invalid text. */
export function toDayText(date: string): string | null {
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? null : DAY.format(at);
}

/** Writes a time, such as `24 November 2026, 13:47 UTC`. Returns null for invalid text. */
export function toInstantText(time: string): string | null {
  const day = toDayText(time);
  return day && `${day}, ${new Date(time).toISOString().slice(11, 16)} UTC`;
}
