import { addToWatchlist } from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { EmptyState } from '../../components/empty-state.js';
import { ProblemNote } from '../../components/problem-note.js';

const SANDBOX_NAME = 'expiring.test';

/** Says what belongs here, and offers a sandbox name that expires today. */
export function EmptyAgenda({ onAdded }: { onAdded: () => void }) {
  const { client, can } = useSession();
  const { isBusy, failure, run } = useAction();
  const add = () => run(addToWatchlist({ client, body: { domain: SANDBOX_NAME } }), onAdded);
  return (
    <EmptyState title="Nothing is coming up">
      <p>
        Names that you watch appear here before they expire, and while their registry deletes them: with the day on
        which they may become free.
      </p>
      {failure && <ProblemNote failure={failure} />}
      {can('watchlist:write') && (
        <p>
          <button type="button" class="button" disabled={isBusy} onClick={add}>
            Watch {SANDBOX_NAME}
          </button>{' '}
          <span class="muted">A simulated name that expires today.</span>
        </p>
      )}
    </EmptyState>
  );
}
