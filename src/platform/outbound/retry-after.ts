import { SECOND } from '../../kernel/clock.js';

/**
 * Reads seconds or an HTTP date, including the obsolete form `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 9110 §10.2.3,
 * §5.6.7).
 */
export function parseRetryAfterMs(header: string | string[] | null | undefined, now: Date): number | null {
  const text = typeof header === 'string' ? header.trim() : '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * SECOND;
  // `Date.parse` alone would read `-5` as a year.
  const date = /^[A-Z][a-z]{2,8},? .* GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
