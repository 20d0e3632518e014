const OUTCOMES = [
  ...(['ok', 'http_error', 'blocked', 'dns', 'connect', 'tls', 'timeout', 'lost'] as const),
  ...(['mail_rejected', 'mail_not_configured'] as const),
] as const;
/** How an attempt ended. `lost`: this service crashed, and it is unknown what the receiver got. */
export type Outcome = (typeof OUTCOMES)[number];

/** The result of one attempt. Coarse on purpose: finer codes would let an account scan a private network. */
export interface AttemptOutcome {
  readonly outcome: Exclude<Outcome, 'lost'>;
  /** The status of HTTP or SMTP; null when none was received. */
  readonly responseStatus: number | null;
  /** At most 4 kB of the reply; null for an empty one. */
  readonly responseExcerpt: string | null;
  /** From Retry-After; null without one. */
  readonly retryAfterMs: number | null;
  /** True when a retry cannot succeed. */
  readonly final: boolean;
  /** True when the receiver wants no more: its channel is disabled. So it is after a 410. */
  readonly gone?: boolean;
  /** Who caused the failure. Only failures of the receiver count against its channel. */
  readonly fault: 'receiver' | 'service';
}

const DEFAULTS = {
  responseStatus: null,
  responseExcerpt: null,
  retryAfterMs: null,
  final: false,
  fault: 'receiver',
} as const;

export function accepted(responseStatus: number, responseExcerpt: string | null): AttemptOutcome {
  return { ...DEFAULTS, outcome: 'ok', responseStatus, responseExcerpt };
}

/** A retryable failure of the receiver, unless `details` say otherwise. */
export function failed(
  outcome: Exclude<Outcome, 'ok' | 'lost'>,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return { ...DEFAULTS, outcome, ...details };
}

/** 410 Gone: the receiver wants no more webhooks (Standard Webhooks 1.0). */
export function isGone({ outcome, responseStatus, gone = false }: AttemptOutcome): boolean {
  return gone || (outcome === 'http_error' && responseStatus === 410);
}

/** Whether a sender outside this module returned what can be stored. */
export function isOutcome(value: unknown): value is AttemptOutcome {
  const { outcome, responseStatus, responseExcerpt, retryAfterMs } = (value ?? {}) as Partial<AttemptOutcome>;
  return (
    OUTCOMES.some((known) => known === outcome) &&
    (responseStatus === null || (Number.isInteger(responseStatus) && Math.abs(Number(responseStatus)) <= 9_999)) &&
    (responseExcerpt === null || typeof responseExcerpt === 'string') &&
    (retryAfterMs === null || Number.isFinite(retryAfterMs))
  );
}

/** One attempt at a delivery. It is stored before it is made, so that a crash during it is visible. */
export class Attempt {
  private constructor(
    readonly deliveryId: string,
    /** 1 for the first. */
    readonly number: number,
    readonly startedAt: Date,
    readonly durationMs: number | null,
    /** null while in progress. */
    readonly outcome: Outcome | null,
    readonly responseStatus: number | null,
    readonly responseExcerpt: string | null,
  ) {}

  static start(deliveryId: string, number: number, startedAt: Date): Attempt {
    return new Attempt(deliveryId, number, startedAt, null, null, null, null);
  }

  finish(result: AttemptOutcome, durationMs: number): Attempt {
    const { outcome, responseStatus, responseExcerpt } = result;
    return new Attempt(
      this.deliveryId,
      this.number,
      this.startedAt,
      durationMs,
      outcome,
      responseStatus,
      responseExcerpt,
    );
  }
}
