const MAX_SECONDS = 86_400;

/**
 * Seconds of a `Retry-After` header (RFC 9110 §10.2.3: seconds, or an HTTP date), at most a day. Invalid values
 * count as absent, so that no typing error blocks a registry for ever. So does a time in the past: it would be
 * neither a block nor a failure, and an operator that refuses requests would be asked at the full rate.
 */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, now);
  return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : null;
}

function secondsUntil(date: string, now: Date): number {
  return HTTP_DATE.test(date) ? Math.ceil((Date.parse(date) - now.getTime()) / 1_000) : NaN;
}

/** The only form that servers may send (RFC 9110 §5.6.7); `Date.parse` alone would read `-5` as a year. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
