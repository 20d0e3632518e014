import { useState } from 'preact/hooks';
import { type Check, checkDomain } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import type { Failure } from '../../api/failure.js';
import { useSession } from '../../api/session.js';

interface CheckNow {
  readonly check: Check | null;
  readonly failure: Failure | null;
  readonly isChecking: boolean;
  readonly run: () => Promise<void>;
}

/** Asks the registry at once. @param onAnswer after an answer, which the watchlist has got too */
export function useCheckNow(domain: string, onAnswer: () => void): CheckNow {
  const { client } = useSession();
  const [state, setState] = useState<Omit<CheckNow, 'run'>>({ check: null, failure: null, isChecking: false });
  const run = async () => {
    setState((before) => ({ ...before, failure: null, isChecking: true }));
    const query = { domain, max_age: 0, expand: 'lifecycle,evidence' };
    const outcome = await call(checkDomain({ client, query }));
    if (outcome.ok) setState({ check: outcome.data, failure: null, isChecking: false });
    else setState({ check: null, failure: outcome.failure, isChecking: false });
    if (outcome.ok) onAnswer();
  };
  return { ...state, run };
}
