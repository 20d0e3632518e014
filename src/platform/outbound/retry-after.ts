import { SECOND } from '../../kernel/clock.js';

/**
 * Converts a Retry-After header into milliseconds from `now`. Accepts seconds and HTTP dates, also in the obsolete form
 * (RFC 9110 §10.2.3, §5.6.7). A past date gives 0. All other text gives null, because `Date.parse` alone would read
 * `-5` as a year.
 */
export function parseRetryAfterMs(header: string | string[] | null | undefined, now: Date): number | null {
  const text = typeof header === 'string' ? header.trim() : '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * SECOND;
  const date = /^[A-Z][a-z]{2,8},? .* GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
