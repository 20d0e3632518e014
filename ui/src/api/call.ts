import { NetworkError, type Problem, UnexpectedAnswerError } from '../../../clients/typescript/src/index.js';

export type Answered<Data> = Promise<{ readonly data?: Data | undefined; readonly error?: unknown }>;

export type Outcome<Data> =
  { readonly ok: true; readonly data: Data } | { readonly ok: false; readonly failure: Failure };

/** Waits for a response. Returns a failure as data. Rejects only if the request was aborted, with the reason. */
export async function call<Data>(answered: Answered<Data>, signal?: AbortSignal): Promise<Outcome<Data>> {
  try {
    const { data, error } = await answered;
    return error === undefined ? { ok: true, data: data as Data } : { ok: false, failure: toFailure(error) };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { ok: false, failure: toFailure(error) };
  }
}

export interface Failure {
  readonly title: string;
  readonly detail: string;
  /** The problem document's code. It is null if the service did not answer. */
  readonly code: string | null;
  readonly requestId: string | null;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;
  readonly fields: readonly { readonly pointer: string; readonly message: string }[];
  /** The whole problem document, for the few callers that need more. */
  readonly problem?: Problem;
}

/** Describes a failure in the words of its problem document. Any other error is about the connection. */
export function toFailure(error: unknown): Failure {
  if (isProblem(error)) return problemFailure(error);
  const base = { code: null, requestId: null, isRetryable: true, fields: [] };
  if (error instanceof NetworkError)
    return { ...base, title: 'The service does not answer', detail: 'It is stopped, restarting or out of reach.' };
  if (error instanceof UnexpectedAnswerError)
    return { ...base, title: 'This answer is not from Namewatch', detail: error.message };
  return { ...base, title: 'Something went wrong in this page', detail: error instanceof Error ? error.message : '' };
}

function problemFailure(problem: Problem): Failure {
  const { title, detail, code, request_id, retryable, errors = [] } = problem;
  return { title, detail, code, requestId: request_id, isRetryable: retryable, fields: errors, problem };
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'title' in error && 'request_id' in error;
}
