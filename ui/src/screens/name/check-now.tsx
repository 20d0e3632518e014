import { useState } from 'preact/hooks';
import { type Check, checkDomain } from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { PhaseBadge } from '../../components/badge.js';
import { When } from '../../components/when.js';
import { EvidenceDetails } from './history-card.js';

interface CheckNow {
  readonly check: Check | null;
  readonly failure: Failure | null;
  readonly isChecking: boolean;
  /** @param maxAgeSeconds the maximum age of a cached answer; by default asks the registry; null allows any age */
  readonly run: (maxAgeSeconds?: number | null) => Promise<void>;
}

/** Checks a name at the registry. @param onAnswer called after an answer, which is also in the watchlist by then */
export function useCheckNow(domain: string, onAnswer: () => void): CheckNow {
  const { client } = useSession();
  const [state, setState] = useState<Omit<CheckNow, 'run'>>({ check: null, failure: null, isChecking: false });
  const run = async (maxAgeSeconds: number | null = 0) => {
    setState((before) => ({ ...before, failure: null, isChecking: true }));
    const query = { domain, expand: 'lifecycle,evidence', ...(maxAgeSeconds !== null && { max_age: maxAgeSeconds }) };
    const outcome = await call(checkDomain({ client, query }));
    if (outcome.ok) setState({ check: outcome.data, failure: null, isChecking: false });
    else setState({ check: null, failure: outcome.failure, isChecking: false });
    if (outcome.ok) onAnswer();
  };
  return { ...state, run };
}

export function CheckResult({ check, isWatched }: { check: Check; isWatched: boolean }) {
  const phase = check.lifecycle?.phase ?? check.status;
  return (
    <section class="card check-result" role="status" aria-label="Check">
      <p class="history-head">
        <PhaseBadge phase={phase} />
        <span>
          {check.available ? 'The registry does not have this name' : 'The registry answered'},{' '}
          <When at={check.checked_at} isPast />.
          {check.expires_at !== null && (
            <>
              {' '}
              It expires <When at={check.expires_at} show="day" />.
            </>
          )}
        </span>
      </p>
      {isWatched && <p class="muted">A change becomes part of the history when a second check has confirmed it.</p>}
      {check.evidence && <EvidenceDetails evidence={check.evidence} />}
    </section>
  );
}
