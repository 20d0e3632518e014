import type { Answered } from './call.js';

/** What was read, with its `ETag` for the `If-Match` of a change. */
export interface Versioned<Data> {
  readonly value: Data;
  /** null when the answer had none: a change is then made without a condition. */
  readonly etag: string | null;
}

type Response<Data> = Promise<{
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response?: globalThis.Response;
}>;

/** An answer of the generated client, with its version. */
export async function withVersion<Data>(answered: Response<Data>): Answered<Versioned<Data>> {
  const { data, error, response } = await answered;
  if (error !== undefined) return { error };
  return { data: { value: data as Data, etag: response?.headers.get('etag') ?? null } };
}

/** Headers under which a change is refused when it was changed elsewhere since. */
export function onlyIfSame(etag: string | null): { 'If-Match'?: string } {
  return etag === null ? {} : { 'If-Match': etag };
}
