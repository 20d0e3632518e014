const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Parses ISO 8601 with date, time and zone. Rejects 30 February, which `Date` would turn into 2 March. */
export function parseInstant(text: string): Date | null {
  const [matched, year, month, day, hour, minute, second = '0'] = INSTANT.exec(text) ?? [];
  if (matched === undefined || !isInCalendar(year, month, day)) return null;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 ? new Date(text) : null;
}

export function parseDay(text: string): Date | null {
  const [matched, year, month, day] = DAY.exec(text) ?? [];
  return matched !== undefined && isInCalendar(year, month, day) ? new Date(`${text}T00:00:00Z`) : null;
}

function isInCalendar(year: string | undefined, month: string | undefined, day: string | undefined): boolean {
  const date = new Date(`${year}-${month}-01T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || Number(day) < 1) return false;
  date.setUTCDate(Number(day));
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCFullYear() >= 1;
}
