import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answered, call, type Failure } from './call.js';

export interface Requested<Data> {
  /** The last response. It stays during the next request, and after a failure. */
  readonly data: Data | null;
  /** Why the last request failed; null after a success. */
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Replaces the data with a changed copy, such as the response to a PATCH. */
  readonly replace: (data: Data) => void;
}

/**
 * Requests data when the component appears and whenever an input changes. Ignores late responses.
 * @param inputs JSON values, which work like the inputs of useEffect
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
  readonly failure: Failure | null;
  /** Waits for a request that changes something. Calls `done` only after a success. */
  readonly run: <Data>(answered: Answered<Data>, done?: (data: Data) => void) => void;
}

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

/** A value with its `ETag`, which a later change sends as `If-Match`. */
interface Versioned<Data> {
  readonly value: Data;
  /** null if the response had none. A change is then sent without a condition. */
  readonly etag: string | null;
}

type Response<Data> = Promise<{
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response?: globalThis.Response;
}>;

export async function withVersion<Data>(answered: Response<Data>): Answered<Versioned<Data>> {
  const { data, error, response } = await answered;
  if (error !== undefined) return { error };
  return { data: { value: data as Data, etag: response?.headers.get('etag') ?? null } };
}

/** Returns headers that refuse a change if somebody else changed the value meanwhile. */
export function onlyIfSame(etag: string | null): { 'If-Match'?: string } {
  return etag === null ? {} : { 'If-Match': etag };
}
