import { type Failure, toFailure } from './failure.js';

/** What every function of the generated client resolves to. */
export type Answered<Data> = Promise<{ readonly data?: Data | undefined; readonly error?: unknown }>;

export type Outcome<Data> =
  { readonly ok: true; readonly data: Data } | { readonly ok: false; readonly failure: Failure };

/** Waits for an answer of the generated client. Expected failure is data; an aborted request rejects with its reason. */
export async function call<Data>(answered: Answered<Data>, signal?: AbortSignal): Promise<Outcome<Data>> {
  try {
    const { data, error } = await answered;
    return error === undefined ? { ok: true, data: data as Data } : { ok: false, failure: toFailure(error) };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { ok: false, failure: toFailure(error) };
  }
}
