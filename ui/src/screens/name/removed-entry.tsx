import { useState } from 'preact/hooks';
import { getWatchlistHistory, listAuditRecords, listRemovedEntries } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { removedNamePath } from '../../routes.js';
import { actorText } from '../audit/audit-words.js';
import { HISTORY_PER_PAGE, HistoryCard } from './history-card.js';

/** What is kept of an entry that was removed: its history, when it was removed, and by whom. */
export function RemovedEntry({ id }: { id: string }) {
  const { client, can } = useSession();
  const [page, setPage] = useState(1);
  const history = useRequest(
    (signal) => getWatchlistHistory({ client, signal, path: { id }, query: { page, per_page: HISTORY_PER_PAGE } }),
    [id, page],
  );
  const removed = history.data?.removed ?? null;
  return (
    <>
      {removed && (
        <p>
          Watched from <When at={removed.added_at} show="instant" />. Removed on{' '}
          <When at={removed.removed_at} show="instant" />
          {removed.request_id !== null && can('audit:read') && <RemovedBy request={removed.request_id} />}.
        </p>
      )}
      <HistoryCard history={history} page={page} onPage={setPage} />
    </>
  );
}

/** Leads from a name that is not watched to what is kept of it; nothing where it never was, or too long ago. */
export function NewestRemovedLink({ domain }: { domain: string }) {
  const { client } = useSession();
  const found = useRequest(
    (signal) => listRemovedEntries({ client, signal, query: { domain, per_page: 1 } }),
    [domain],
  );
  const [newest] = found.data?.data ?? [];
  if (found.failure) return <ProblemNote failure={found.failure} onRetry={found.reload} />;
  return newest ? (
    <p>
      <a href={removedNamePath(newest.domain, newest.id)}>
        Removed on <When at={newest.removed_at} show="instant" />: its history
      </a>
    </p>
  ) : null;
}

/** Nothing when the audit trail no longer knows. */
function RemovedBy({ request }: { request: string }) {
  const { client } = useSession();
  const trail = useRequest((signal) => listAuditRecords({ client, signal, query: { request, limit: 1 } }), [request]);
  const [record] = trail.data?.data ?? [];
  return record ? (
    <>
      {' '}
      by <ShortText value={actorText(record.actor)} max={60} />
    </>
  ) : null;
}
