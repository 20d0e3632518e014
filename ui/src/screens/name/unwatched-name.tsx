import { useState } from 'preact/hooks';
import { addToWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import type { Failure } from '../../api/failure.js';
import { useSession } from '../../api/session.js';
import { EmptyState } from '../../components/empty-state.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { CheckResult } from './check-result.js';
import { useCheckNow } from './use-check-now.js';

/** A name that the account does not watch: it can be checked, and added. */
export function UnwatchedName({ domain, onAdded }: { domain: string; onAdded: () => void }) {
  const { client, can } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const now = useCheckNow(domain, () => undefined);
  const add = async () => {
    const outcome = await call(addToWatchlist({ client, body: { domain } }));
    setFailure(outcome.ok ? null : outcome.failure);
    if (outcome.ok) onAdded();
  };
  return (
    <>
      <EmptyState title="This name is not on your watchlist">
        <p>A watched name has its life, its history and the evidence of each change here.</p>
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          {can('watchlist:write') && (
            <button type="button" class="button primary" onClick={() => void add()}>
              <Icon name="plus" /> Watch it
            </button>
          )}
          {can('domains:read') && (
            <button type="button" class="button" disabled={now.isChecking} onClick={() => void now.run()}>
              <Icon name="refresh" /> {now.isChecking ? 'Checking…' : 'Check now'}
            </button>
          )}
        </div>
      </EmptyState>
      {now.failure && <ProblemNote failure={now.failure} onRetry={() => void now.run()} />}
      {now.check && <CheckResult check={now.check} isWatched={false} />}
    </>
  );
}
