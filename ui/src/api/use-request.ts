import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answered, call, type Failure } from './call.js';

export interface Requested<Data> {
  /** The last answer; it stays while the next one is waited for, and when that fails. */
  readonly data: Data | null;
  /** Why the last request failed; null after a success. */
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Puts a changed copy in place of the data, such as the answer to a PATCH. */
  readonly replace: (data: Data) => void;
}

/**
 * Asks the API when the component appears and whenever an input changes; an answer that arrives late is dropped.
 * @param inputs as for useEffect, of JSON values
 */
export function useRequest<Data>(ask: (signal: AbortSignal) => Answered<Data>, inputs: readonly unknown[]): Requested<Data> {
  const [state, setState] = useState<Omit<Requested<Data>, 'reload' | 'replace'>>(NOTHING_YET);
  const [round, setRound] = useState(0);
  const asked = useRef(ask);
  asked.current = ask;
  const key = JSON.stringify(inputs);
  useEffect(() => {
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    call(asked.current(controller.signal), controller.signal).then(
      (outcome) => {
        if (controller.signal.aborted) return;
        if (outcome.ok) setState({ data: outcome.data, failure: null, isLoading: false });
        else setState((before) => ({ ...before, failure: outcome.failure, isLoading: false }));
      },
      () => undefined, // aborted
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const replace = useCallback((data: Data) => setState({ data, failure: null, isLoading: false }), []);
  return { ...state, reload, replace };
}

const NOTHING_YET = { data: null, failure: null, isLoading: true };

export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed; null after a success. */
  readonly failure: Failure | null;
  /** Waits for a request that changes something; `done` is called with the answer, if the request succeeded. */
  readonly run: <Data>(answered: Answered<Data>, done?: (data: Data) => void) => void;
}

/** A request that a button starts. */
export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ isBusy: false, failure: null });
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const run: Action['run'] = (answered, done) => {
    setState({ isBusy: true, failure: null });
    void call(answered).then((outcome) => {
      if (isShown.current) setState({ isBusy: false, failure: outcome.ok ? null : outcome.failure });
      if (outcome.ok) done?.(outcome.data);
    });
  };
  return { ...state, run };
}

/** The value that was read, with its `ETag` for the `If-Match` of a change. */
interface Versioned<Data> {
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
