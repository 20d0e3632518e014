const LONGEST = 86_400;

/**
 * Seconds to wait by a `Retry-After` (RFC 9110 §10.2.3: seconds, or an HTTP date), at most a day. Nonsense counts as
 * absent, so that no registry can stop the looks for ever by a typing error.
 */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST);
  if (!HTTP_DATE.test(text)) return null;
  const seconds = Math.ceil((Date.parse(text) - now.getTime()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), LONGEST);
}

/** The one form that RFC 9110 §5.6.7 lets servers make; `Date.parse` alone would take `-5` for a year. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
