import { MINUTE, SECOND } from '../../kernel/clock.js';

/**
 * The priorities of lookups, highest first: names that may become free at any moment, users' checks, routine checks.
 */
export const PRIORITIES = ['drop_window', 'check', 'routine'] as const;
export type LookupPriority = (typeof PRIORITIES)[number];

export interface AdmissionRequest {
  readonly priority: LookupPriority;
  /** The longest wait for admission, three seconds by default. A longer wait fails as `registry_throttled`. */
  readonly maxWaitMs?: number;
  /** Whether the query follows a redirect. A half-open circuit breaker admits a probe and its redirects. */
  readonly isRedirect?: boolean;
  /** Whether the query was sent or queued before. Repeats go first, because their lookup has less time left. */
  readonly isRepeat?: boolean;
}

/** How many queries an operator's rate limit allows in the next seconds. */
export interface AvailableQueries {
  /** Infinity without a rate limit; 0 if no query may be sent in these seconds. */
  readonly tokens: number;
  /** When queries are sent again, if the operator is blocked or its circuit breaker is open. */
  readonly reopensAt: Date | null;
}

export interface OperatorStatus {
  /** In the state `half_open`, a single query probes the operator. */
  readonly breaker: BreakerState;
  readonly openSince: Date | null;
  readonly retryAt: Date | null;
  /** The end of the pause that the operator demanded by Retry-After. */
  readonly blockedUntil: Date | null;
}

/** The operator of sandbox names. It has no rate limit, because no query is sent. */
export const SANDBOX_OPERATOR = 'sandbox';

/** Returns a placeholder for the operator of a TLD without a known server. */
export function unknownOperator(tld: string): string {
  return `.${tld}`;
}

export const DEFAULT_ADMISSION: AdmissionRequest = { priority: 'check' };

/** The state of an operator that failed repeatedly: no query is sent, except one probe after a pause. */
export interface OpenBreaker {
  readonly since: Date;
  /** When the probe is sent. An answer closes the breaker, a failure opens it again. */
  readonly retryAt: Date;
  /** How often the breaker has opened since the last answer. */
  readonly openings: number;
}

const MIN_FAILURES = 10;
const MIN_NAMES = 3;
/** An open breaker's pause before its first probe. Each further pause is twice as long, up to the maximum. */
export const FIRST_PAUSE_MS = 30 * SECOND;
export const MAX_PAUSE_MS = 5 * MINUTE;

/**
 * Counts an operator's failures. Several names must fail to open the circuit breaker, because one name's record may be
 * faulty.
 */
export class ConsecutiveFailures {
  private readonly names = new Set<string>();
  private last: string | null = null;
  private count = 0;

  add(name: string): void {
    if (name !== this.last) this.count += 1;
    this.last = name;
    if (this.names.size < MIN_NAMES) this.names.add(name);
  }

  get shouldTrip(): boolean {
    return this.count >= MIN_FAILURES && this.names.size >= MIN_NAMES;
  }
}

export type BreakerState = 'closed' | 'open' | 'half_open';

export function breakerState(openBreaker: OpenBreaker | null, now: Date): BreakerState {
  if (!openBreaker) return 'closed';
  return openBreaker.retryAt > now ? 'open' : 'half_open';
}
