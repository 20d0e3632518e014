/** Matches RFC 3339 dates and variants of registries, such as the time zones `+0800 CST` and `-07:00Z`. */
const DATE_PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2}))?(?:\.(\d{1,9}))?\s?(?:([+-]\d{2}:?\d{2})\s?\(?[A-Za-z]{0,5}\)?|Z|UTC|GMT)?)?$/i;

/** The most frequent form of a date. `Date` parses this form fast, but also accepts February 30. */
const PLAIN_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/** Parses RFC 3339 and variants of registries, with UTC as the default zone. Returns null for an implausible date. */
export function parseRegistryDate(text: unknown): Date | null {
  const date = (typeof text === 'string' && parsePlainDate(text)) || parseDateVariant(text);
  return date && isPlausibleDate(date) ? date : null;
}

/** DNS began in 1983 (RFC 882). Earlier dates are programs' zero values, such as 1899-12-30 or 1970-01-01. */
const FIRST_YEAR = 1983;

/** Whether a registration can have this date. Years have four digits in ISO 8601. */
export function isPlausibleDate(date: Date): boolean {
  const year = date.getUTCFullYear();
  return year >= FIRST_YEAR && year <= 9_999;
}

function parsePlainDate(text: string): Date | null {
  if (!PLAIN_PATTERN.test(text)) return null;
  const date = new Date(text);
  return date.getUTCDate() === Number(text.slice(8, 10)) ? date : null;
}

function parseDateVariant(text: unknown): Date | null {
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] =
    (typeof text === 'string' && DATE_PATTERN.exec(text.trim())) || [];
  if (year === undefined) return null;
  const fields = [year, month, day, hour, minute, second].map(Number) as [number, number, number];
  const local = utcDate(fields, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const shift = offset === undefined ? 0 : offsetMinutes(offset);
  return local && shift !== null ? new Date(local.getTime() - shift * 60_000) : null;
}

/** Returns null for days such as February 30, which `Date.UTC` would turn into a day of March. */
function utcDate([year, month, ...rest]: [number, number, ...number[]], milliseconds: number): Date | null {
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59), milliseconds));
  const kept = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return kept && hour < 24 && minute < 60 && second <= 60 ? date : null;
}

function offsetMinutes(offset: string): number | null {
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  return hours < 24 && minutes < 60 ? (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) : null;
}
