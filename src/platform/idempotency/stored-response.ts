import type { Problem } from '../http/errors/problem.js';

/** What was answered, for those who ask again. */
export type StoredResponse =
  | { readonly kind: 'answer'; readonly headers: Readonly<Record<string, string>>; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly problem: Problem };

export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly reply: StoredResponse;
}

/** Whether this refusal is one for good: a failure of ours, or a matter of time, may end otherwise the next time. */
export function isFinal({ status }: Problem): boolean {
  return status < 500 && status !== 408 && status !== 429;
}
