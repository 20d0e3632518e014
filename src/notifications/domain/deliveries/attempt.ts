/** How an attempt ended. `lost` is a crash of ours: nobody knows what the receiver got. */
export type Outcome =
  | 'ok'
  | 'http_error'
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'lost'
  | 'mail_rejected'
  | 'mail_not_configured';

/** What came of sending once. Coarse on purpose: finer words would let a channel scan somebody's network. */
export interface AttemptOutcome {
  readonly outcome: Exclude<Outcome, 'lost'>;
  /** The status of HTTP or SMTP; null when none was received. */
  readonly responseStatus: number | null;
  /** At most 4 kB of what the receiver said; null when it said nothing. */
  readonly responseExcerpt: string | null;
  /** Milliseconds that the receiver asked to be left alone for; null when it did not. */
  readonly retryAfterMs: number | null;
  /** True when the same again cannot succeed. */
  readonly final: boolean;
  /** Whose failure it is. Only the receiver's count against its channel. */
  readonly fault: 'receiver' | 'service';
}

const DEFAULTS = {
  responseStatus: null,
  responseExcerpt: null,
  retryAfterMs: null,
  final: false,
  fault: 'receiver',
} as const;

/** The receiver took it. */
export function accepted(responseStatus: number, responseExcerpt: string | null): AttemptOutcome {
  return { ...DEFAULTS, outcome: 'ok', responseStatus, responseExcerpt };
}

/** It did not arrive; it may arrive later, and the receiver is to blame, unless `details` say otherwise. */
export function failed(
  outcome: Exclude<Outcome, 'ok' | 'lost'>,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return { ...DEFAULTS, outcome, ...details };
}

/** 410 Gone is how a receiver says that nobody lives there any more (Standard Webhooks 1.0). */
export function isGone({ outcome, responseStatus }: AttemptOutcome): boolean {
  return outcome === 'http_error' && responseStatus === 410;
}

/** One try at a delivery, written down before it is made, so that a crash in its middle shows. */
export class Attempt {
  private constructor(
    readonly deliveryId: string,
    /** 1 for the first. */
    readonly number: number,
    readonly startedAt: Date,
    readonly durationMs: number | null,
    /** null while it is under way. */
    readonly outcome: Outcome | null,
    readonly responseStatus: number | null,
    readonly responseExcerpt: string | null,
  ) {}

  static start(deliveryId: string, number: number, startedAt: Date): Attempt {
    return new Attempt(deliveryId, number, startedAt, null, null, null, null);
  }

  /** The same attempt, over. */
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
