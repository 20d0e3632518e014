import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answered, call } from './call.js';
import type { Failure } from './failure.js';

export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed; null after a success. */
  readonly failure: Failure | null;
  /** Waits for a request that changes something; `done` is called with the answer of one that succeeded. */
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
