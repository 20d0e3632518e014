import type { BreakerState } from './circuit-breaker.js';

/** Highest first: names that may become free at any moment, then users' checks, then routine checks. */
export const PRIORITIES = ['drop_window', 'check', 'routine'] as const;
export type LookupPriority = (typeof PRIORITIES)[number];

export interface AdmissionRequest {
  readonly priority: LookupPriority;
  /** The longest wait for admission, three seconds by default. Then the lookup fails as `registry_throttled`. */
  readonly maxWaitMs?: number;
  /** Whether the query follows a redirect. A half-open circuit breaker admits a probe and its redirects. */
  readonly isRedirect?: boolean;
  /** Whether the query was sent or queued before. Repeats go first, because their lookup has less time left. */
  readonly isRepeat?: boolean;
}

/** How many queries an operator's rate limit allows in the next seconds. */
export interface AvailableQueries {
  /** Infinity without a rate limit; 0 while the operator is blocked or its rate limit is used up. */
  readonly tokens: number;
  /** When queries are sent again, if the operator is blocked or its circuit breaker is open. */
  readonly reopensAt: Date | null;
}

export interface OperatorStatus {
  /** In the state `half_open`, a single query probes the operator. */
  readonly breaker: BreakerState;
  readonly openSince: Date | null;
  readonly retryAt: Date | null;
  /** From the operator's Retry-After. */
  readonly blockedUntil: Date | null;
}

/** The operator of sandbox names. It has no rate limit, because no query is sent. */
export const SANDBOX_OPERATOR = 'sandbox';

/** Returns a placeholder for the operator of a TLD without a known server. */
export function unknownOperator(tld: string): string {
  return `.${tld}`;
}

export const DEFAULT_ADMISSION: AdmissionRequest = { priority: 'check' };
