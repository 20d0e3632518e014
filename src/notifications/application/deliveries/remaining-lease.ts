import { SECOND } from '../../../kernel/clock.js';

/** What an attempt leaves of its lease for writing down how it ended. */
const MARGIN_MS = SECOND;

/**
 * Milliseconds that an attempt may take, so that its lease outlives it. The lease has run since the transaction that
 * took it began, which is later than `leasedAt` on `performance.now()`.
 */
export function remainingLeaseMs(leaseSeconds: number, leasedAt: number): number {
  return Math.max(1, Math.floor(leaseSeconds * SECOND - MARGIN_MS - (performance.now() - leasedAt)));
}
