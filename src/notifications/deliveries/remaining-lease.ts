import { SECOND } from '../../kernel/clock.js';

/** Reserved for storing the outcome. */
const MARGIN_MS = SECOND;

/**
 * How long an attempt may take, so that its lease outlives it. The lease starts after `leasedAt` (by
 * `performance.now()`).
 */
export function remainingLeaseMs(leaseSeconds: number, leasedAt: number): number {
  return Math.max(1, Math.floor(leaseSeconds * SECOND - MARGIN_MS - (performance.now() - leasedAt)));
}
