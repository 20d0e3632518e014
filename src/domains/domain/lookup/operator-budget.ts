import type { BreakerState } from './circuit-breaker.js';

/**
 * Who goes first where questions to an operator are scarce: names that may drop any moment, then people who wait for
 * their check, then the routine of the watch.
 */
export const PRIORITIES = ['drop_window', 'check', 'routine'] as const;
export type LookupPriority = (typeof PRIORITIES)[number];

/** What one operator is asked at most, over all its TLDs, hosts and protocols and by all processes together. */
export interface OperatorBudget {
  /** Questions a second in the long run; 0: as many as come, while the concurrency holds. */
  readonly perSecond: number;
  /** How many questions may come at once after a silence. */
  readonly burst: number;
  /** Questions under way at a time. */
  readonly concurrency: number;
}

/** How a look wants to be let through to the registry. */
export interface AdmissionRequest {
  readonly priority: LookupPriority;
  /** Milliseconds that it waits for its turn; three seconds unless told otherwise. Then `registry_throttled`. */
  readonly maxWaitMs?: number;
  /** Its first question is paid for: the caller took a token for it. */
  readonly hasReservedToken?: boolean;
  /** It goes on from a question that was let through, where that led: if that was a probe, this belongs to it. */
  readonly isRedirect?: boolean;
}

/** What an operator's budget allows in a stretch of time from now on. */
export interface AvailableQuota {
  /** Questions; Infinity where no rate limits them, 0 while the operator is left alone or its budget is spent. */
  readonly tokens: number;
  /** When it will be asked again, if it is left alone: by its own wish, or because it fails. */
  readonly reopensAt: Date | null;
}

/** How an operator is dealt with just now. */
export interface OperatorStatus {
  /** `half_open`: one question is let through to see whether it answers again. */
  readonly breaker: BreakerState;
  readonly openSince: Date | null;
  readonly retryAt: Date | null;
  /** Until when it said that it wants to be left alone. */
  readonly blockedUntil: Date | null;
}

/** Sandbox names have this operator, which has no budget: nobody is asked. */
export const SANDBOX_OPERATOR = 'sandbox';

/** Stands for whoever runs a TLD for which no server is known. */
export function unknownOperator(tld: string): string {
  return `.${tld}`;
}

/** How a look is let through that nobody said anything about. */
export const DEFAULT_ADMISSION: AdmissionRequest = { priority: 'check' };
