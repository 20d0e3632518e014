const MAX_SECONDS = 86_400;

/**
 * Seconds to wait by a `Retry-After` (RFC 9110 §10.2.3: seconds, or an HTTP date), at most a day. Nonsense counts as
 * absent, so that no registry can stop the looks for ever by a typing error. So does a time that is over already: it
 * would be neither a block nor a failure, and whoever refuses us would be asked on at the full rate.
 */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : null;
}

function secondsUntil(date: string, now: Date): number {
  return HTTP_DATE.test(date) ? Math.ceil((Date.parse(date) - now.getTime()) / 1_000) : NaN;
}

/** The one form that RFC 9110 §5.6.7 lets servers make; `Date.parse` alone would take `-5` for a year. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
