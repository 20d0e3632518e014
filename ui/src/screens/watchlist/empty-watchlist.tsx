import { useState } from 'preact/hooks';
import { addToWatchlist } from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { EmptyState } from '../../components/page.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';

const SANDBOX_NAMES = [
  { domain: 'lifecycle-120s.test', what: 'goes through a whole life in two minutes' },
  { domain: 'expiring.test', what: 'is about to expire' },
  { domain: 'available.test', what: 'can be registered' },
];

interface EmptyWatchlistProps {
  readonly onAdd: () => void;
  readonly onAdded: () => void;
}

/** Explains the empty watchlist, and offers a name to begin with. */
export function EmptyWatchlist({ onAdd, onAdded }: EmptyWatchlistProps) {
  const { client, me, can } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const [adding, setAdding] = useState<string | null>(null);
  const add = async (domain: string) => {
    setAdding(domain);
    const interval = Math.min(...me.limits.intervals); // sandbox names change within minutes
    const outcome = await call(
      addToWatchlist({ client, body: { domain, interval_minutes: interval, notify_current: true } }),
    );
    setAdding(null);
    setFailure(outcome.ok ? null : outcome.failure);
    if (outcome.ok) onAdded();
  };
  return (
    <EmptyState title="Watch your first name">
      <p>
        Namewatch asks the registries about each name on this list, again and again, and notices when it is about to
        expire, when it is being deleted, and when it can be registered. A change counts after a second check has
        confirmed it.
      </p>
      {can('watchlist:write') && (
        <>
          <button type="button" class="button primary" onClick={onAdd}>
            <Icon name="plus" /> Add names
          </button>
          <h3>Or try it with a name that needs no registry</h3>
          <ul class="sandbox-list">
            {SANDBOX_NAMES.map(({ domain, what }) => (
              <li key={domain}>
                <button type="button" class="button small" disabled={adding !== null} onClick={() => void add(domain)}>
                  Watch {domain}
                </button>{' '}
                <span class="muted">{what}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {failure && <ProblemNote failure={failure} />}
    </EmptyState>
  );
}

export function NothingFound() {
  return (
    <EmptyState title="No name matches">
      <p>A search looks in names, tags and notes. Clear the filters to see all names.</p>
    </EmptyState>
  );
}
