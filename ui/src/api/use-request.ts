import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answered, call } from './call.js';
import type { Failure } from './failure.js';

export interface Requested<Data> {
  /** The last answer; it stays while the next one is waited for, and when that fails. */
  readonly data: Data | null;
  /** Of the last request; null after a success. */
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
