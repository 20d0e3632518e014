import type { FieldsOf } from '../../kernel/aggregate-root.js';

const MAX_EXCERPT_BYTES = 4 * 1_024;
/** Matches control characters. Terminals obey some of them, and PostgreSQL cannot store NUL. */
// oxlint-disable-next-line no-control-regex -- the expression looks for control characters
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Returns at most 4 kB of printable text. Cuts twice, since replacing invalid UTF-8 makes the text longer. */
export function toExcerpt(bytes: Uint8Array): string {
  const text = decodePrefix(MAX_EXCERPT_BYTES, bytes).replace(CONTROLS, '\uFFFD');
  return decodePrefix(MAX_EXCERPT_BYTES, Buffer.from(text));
}

function decodePrefix(limit: number, bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: bytes.length > limit });
}

/** Shorter secrets are not redacted, because a short text also occurs by chance in other words. */
const MIN_SECRET_LENGTH = 6;
const MIN_PART_LENGTH = 8;
const REDACTED = '…';
const MAX_CAUSES = 5;

/** Replaces secrets in the text, also where they are encoded, for example in base64. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  if (text.length < MIN_SECRET_LENGTH) return text;
  const longestFirst = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).toSorted(byLengthDescending);
  return longestFirst.flatMap(toSpellings).reduce((kept, spelling) => kept.replaceAll(spelling, REDACTED), text);
}

/** Returns the target and its parts, because replies often repeat only the token of a URL. */
export function toSecretParts(target: string, host: string): string[] {
  const parts = target.split(/[/?&=#:@\s]+/).filter((part) => part.length >= MIN_PART_LENGTH && part !== host);
  return [target, ...parts];
}

/** Copies name, message, stack and causes of an error for the log, without secrets. Drops all other fields. */
export function redactError(error: unknown, secrets: readonly string[], depth = 0): Error {
  const { name, message, stack, cause } = (error ?? {}) as Partial<Error>;
  const text = typeof message === 'string' ? message : String(error);
  const hasCause = cause !== undefined && depth < MAX_CAUSES;
  const copy = new Error(
    redactSecrets(text, secrets),
    hasCause ? { cause: redactError(cause, secrets, depth + 1) } : undefined,
  );
  if (typeof name === 'string') copy.name = name;
  if (typeof stack === 'string') copy.stack = redactSecrets(stack, secrets);
  return copy;
}

function toSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const spellings = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), toHtml(secret)];
  return [...new Set([...spellings, bytes.toString('base64'), bytes.toString('base64url')])];
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function byLengthDescending(left: string, right: string): number {
  return right.length - left.length;
}

export const OUTCOMES = [
  'ok',
  'http_error',
  'blocked',
  'dns',
  'connect',
  'tls',
  'timeout',
  'lost',
  'mail_rejected',
  'mail_not_configured',
] as const;
/** `lost` means that no outcome was recorded, for example after a crash. The message may have arrived or not. */
export type Outcome = (typeof OUTCOMES)[number];

/** The result of one attempt. `outcome` is coarse, so that no account can scan a private network with attempts. */
export interface AttemptOutcome {
  readonly outcome: Exclude<Outcome, 'lost'>;
  /** The status code of HTTP or SMTP. null if no reply arrived. */
  readonly responseStatus: number | null;
  /** At most 4 kB of the reply. null for an empty reply. */
  readonly responseExcerpt: string | null;
  /** How long the receiver asks to wait, for example by the header Retry-After. */
  readonly retryAfterMs: number | null;
  /** True when a retry cannot succeed. */
  readonly final: boolean;
  /**
   * If set, the channel is disabled. One line without secrets, which tells the account why the receiver wants no more.
   */
  readonly gone?: string;
  /** The side that caused the failure. Only failures of the receiver can disable a channel. */
  readonly fault: 'receiver' | 'service';
  /**
   * True if this process lacks the key of the channel's secrets. The attempt is then repeated without counting a
   * failure.
   */
  readonly isForWantOfKey?: boolean;
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

/** Makes the outcome of a failure. By default the receiver caused the failure, and a retry may succeed. */
export function failed(
  outcome: Exclude<Outcome, 'ok' | 'lost'>,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return { ...DEFAULTS, outcome, ...details };
}

/** Returns why the receiver wants no more messages, or null. Status 410 ends a channel (Standard Webhooks 1.0). */
export function whyGone({ outcome, responseStatus, gone }: AttemptOutcome): string | null {
  if (gone !== undefined) return gone;
  return outcome === 'http_error' && responseStatus === 410 ? '410 Gone' : null;
}

/** Checks the result of an extension's sender before it is stored. */
export function isOutcome(value: unknown): value is AttemptOutcome {
  const { outcome, responseStatus, responseExcerpt, retryAfterMs, gone } = (value ?? {}) as Partial<AttemptOutcome>;
  return (
    OUTCOMES.some((known) => known === outcome) &&
    (responseStatus === null || (Number.isInteger(responseStatus) && Math.abs(Number(responseStatus)) <= 9_999)) &&
    (responseExcerpt === null || typeof responseExcerpt === 'string') &&
    (retryAfterMs === null || Number.isFinite(retryAfterMs)) &&
    (gone === undefined || typeof gone === 'string')
  );
}

/** One attempt at a delivery. The row is stored before sending, so that a crash leaves a trace. */
export class Attempt {
  declare readonly deliveryId: string;
  declare readonly number: number;
  declare readonly startedAt: Date;
  /** null while in progress, and after a crash. */
  declare readonly durationMs: number | null;
  /** null while in progress. */
  declare readonly outcome: Outcome | null;
  declare readonly responseStatus: number | null;
  declare readonly responseExcerpt: string | null;

  private constructor(fields: FieldsOf<Attempt>) {
    Object.assign(this, fields);
  }

  static start(deliveryId: string, number: number, startedAt: Date): Attempt {
    const unfinished = { durationMs: null, outcome: null, responseStatus: null, responseExcerpt: null };
    return new Attempt({ deliveryId, number, startedAt, ...unfinished });
  }

  finish(result: AttemptOutcome, durationMs: number): Attempt {
    const { outcome, responseStatus, responseExcerpt } = result;
    return new Attempt({ ...this, durationMs, outcome, responseStatus, responseExcerpt });
  }
}
