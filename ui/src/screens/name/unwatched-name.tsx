import { useEffect, useState } from 'preact/hooks';
import {
  addToWatchlist,
  getWatchlistHistory,
  listAuditRecords,
  listRemovedEntries,
} from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { EmptyState } from '../../components/page.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { namePath, removedNamePath } from '../../routes.js';
import { actorText } from '../audit/audit-words.js';
import { CheckResult, useCheckNow } from './check-now.js';
import { HISTORY_PER_PAGE, HistoryCard } from './history-card.js';

/** Checks a name that the account does not watch. Offers to add it, unless no registry could have the name. */
export function UnwatchedName({ domain, onAdded }: { domain: string; onAdded: () => void }) {
  const { client, can } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const now = useCheckNow(domain, () => undefined);
  useEffect(() => void (can('domains:read') && now.run(null)), []);
  if (now.failure && isNoName(now.failure)) return <NoName failure={now.failure} />;
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

/** Whether the text is not a name that any registry could have. */
function isNoName({ code, problem }: Failure): boolean {
  return problem?.status === 422 && code !== 'too_many_domains';
}

function NoName({ failure: { title, detail, problem } }: { failure: Failure }) {
  const registrable = problem?.registrable_domain;
  return (
    <EmptyState title={title}>
      <p>{detail}</p>
      {registrable !== undefined && (
        <p>
          <a href={namePath(registrable)}>
            Go to <bdi>{registrable}</bdi>
          </a>
        </p>
      )}
    </EmptyState>
  );
}

/** Shows a removed entry: its history, when it was removed, and by whom. */
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

/** Links to the newest removed entry of a name. Shows nothing if there is none. */
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

/** Shows nothing if the audit trail no longer has the record. */
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
