import { DAY, SECOND } from '../../kernel/clock.js';
import { parseRetryAfterMs } from '../../platform/outbound/retry-after.js';

/**
 * For how long a `Retry-After` blocks an operator: at most a day, so that no typing error blocks it for ever. Null for an
 * invalid header or a time that has passed: it would be neither a block nor a failure, and an operator that refuses
 * requests would be asked at the full rate.
 */
export function blockSeconds(header: string | null, now: Date): number | null {
  const ms = parseRetryAfterMs(header, now) ?? 0;
  return ms > 0 ? Math.ceil(Math.min(ms, DAY) / SECOND) : null;
}
