const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Returns `24 November 2026`, in UTC as registries count days, or null if the text is no date. */
export function toDayText(date: string): string | null {
  const at = new Date(date);
  return Number.isNaN(at.getTime()) ? null : DAY.format(at);
}

/** Returns `24 November 2026, 13:47 UTC`, since the reader's time zone is unknown, or null if the text is no time. */
export function toInstantText(time: string): string | null {
  const day = toDayText(time);
  return day && `${day}, ${new Date(time).toISOString().slice(11, 16)} UTC`;
}
