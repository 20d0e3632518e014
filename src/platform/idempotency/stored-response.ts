import type { Problem } from '../http/errors/problem.js';

/** Stored as JSON: field names must not change. */
export type StoredResponse =
  | { readonly kind: 'answer'; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly problem: Problem };

export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly reply: StoredResponse;
}

/** Whether a repeated request would be refused again: server errors, timeouts and rate limits may pass. */
export function isFinal({ status }: Problem): boolean {
  return status < 500 && status !== 408 && status !== 429;
}
