import type { BreakerState } from './circuit-breaker.js';

/** Highest first: names that may drop at any moment, then users' checks, then routine checks of watches. */
export const PRIORITIES = ['drop_window', 'check', 'routine'] as const;
export type LookupPriority = (typeof PRIORITIES)[number];

/** How a lookup is admitted by the rate limiter. */
export interface AdmissionRequest {
  readonly priority: LookupPriority;
  /** The longest wait for admission, three seconds by default; then `registry_throttled`. */
  readonly maxWaitMs?: number;
  /** Follows a redirect of an admitted query; a probe of a half-open breaker includes its redirects. */
  readonly isRedirect?: boolean;
  /** Asks again about a name: the first answer is lost without it, so it goes before the others of its priority. */
  readonly isRepeat?: boolean;
}

/** The queries that an operator's budget allows in the next seconds. */
export interface AvailableQueries {
  /** Queries; Infinity without a rate limit, 0 while the operator is blocked or its budget is used up. */
  readonly tokens: number;
  /** Says when queries are sent again, if the operator is blocked or its breaker is open. */
  readonly reopensAt: Date | null;
}

export interface OperatorStatus {
  /** `half_open`: one query is sent to probe the operator. */
  readonly breaker: BreakerState;
  readonly openSince: Date | null;
  readonly retryAt: Date | null;
  /** Comes from its Retry-After. */
  readonly blockedUntil: Date | null;
}

/** The operator of sandbox names, which has no budget because no query is sent. */
export const SANDBOX_OPERATOR = 'sandbox';

/** A placeholder for the operator of a TLD without a known server. */
export function unknownOperator(tld: string): string {
  return `.${tld}`;
}

export const DEFAULT_ADMISSION: AdmissionRequest = { priority: 'check' };
