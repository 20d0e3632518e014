import type { FieldsOf } from '../../kernel/aggregate-root.js';

const MAX_EXCERPT_BYTES = 4 * 1_024;
/** PostgreSQL text cannot hold NUL, and terminals interpret control characters. Tabs and line ends are harmless. */
// oxlint-disable-next-line no-control-regex -- they are what this is about
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Cuts between characters, and again after decoding: replacing invalid UTF-8 makes the text longer. */
export function toExcerpt(bytes: Uint8Array): string {
  const text = decodePrefix(MAX_EXCERPT_BYTES, bytes).replace(CONTROLS, '\uFFFD');
  return decodePrefix(MAX_EXCERPT_BYTES, Buffer.from(text));
}

function decodePrefix(limit: number, bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, limit), { stream: bytes.length > limit });
}

/** Shorter texts are hardly secrets, and replacing them would garble everything else. */
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

/** Returns a secret target and its parts, such as the token in a URL's path: replies often repeat only that part. */
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
/** How an attempt ended. `lost` means that this service crashed: nobody knows if the receiver got the message. */
export type Outcome = (typeof OUTCOMES)[number];

/** The result of one attempt. Coarse on purpose: finer codes would let an account scan a private network. */
export interface AttemptOutcome {
  readonly outcome: Exclude<Outcome, 'lost'>;
  /** The status of HTTP or SMTP; null when none was received. */
  readonly responseStatus: number | null;
  /** At most 4 kB of the reply; null if it is empty. */
  readonly responseExcerpt: string | null;
  /** From the header Retry-After; null without that header. */
  readonly retryAfterMs: number | null;
  /** True when a retry cannot succeed. */
  readonly final: boolean;
  /**
   * Why the receiver wants no more, such as `the token was revoked`, if the status does not tell. Disables the channel
   * and is shown to the account, so it must be one line without secrets.
   */
  readonly gone?: string;
  /** The side that caused the failure. Only failures of the receiver count against its channel. */
  readonly fault: 'receiver' | 'service';
  /** True if this service lacks its own encryption key. The attempt is repeated, and is not counted as a failure. */
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

/** Makes the outcome of a failure: the receiver's and retryable, unless `details` say otherwise. */
export function failed(
  outcome: Exclude<Outcome, 'ok' | 'lost'>,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return { ...DEFAULTS, outcome, ...details };
}

/** Returns why the receiver wants no more, or null if it still does. 410 Gone says so too (Standard Webhooks 1.0). */
export function whyGone({ outcome, responseStatus, gone }: AttemptOutcome): string | null {
  if (gone !== undefined) return gone;
  return outcome === 'http_error' && responseStatus === 410 ? '410 Gone' : null;
}

/** Whether the result of an extension's sender can be stored. */
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

/** One attempt at a delivery. It is stored before it is made, so that a crash during it is visible. */
export class Attempt {
  declare readonly deliveryId: string;
  /** 1 for the first. */
  declare readonly number: number;
  declare readonly startedAt: Date;
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
