import { useState } from 'preact/hooks';
import { type ExpandedEntry, listWatchlist } from '../../../../clients/typescript/src/index.js';
import { useEvents } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { PhaseBadge } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';

const PER_PAGE = 50;

export function WatchlistScreen() {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const list = useRequest(
    (signal) => listWatchlist({ client, signal, query: { page, per_page: PER_PAGE, expand: 'lifecycle,failing' } }),
    [page],
  );
  useEvents({ onEvent: list.reload, onGap: list.reload });
  return (
    <Page title="Watchlist">
      {list.failure && <ProblemNote failure={list.failure} onRetry={list.reload} />}
      {list.data === null && list.isLoading && <Loading />}
      {list.data?.meta.total === 0 && (
        <EmptyState title="No names yet">
          <p>Names that you watch are listed here.</p>
        </EmptyState>
      )}
      {list.data !== null && list.data.meta.total > 0 && (
        <>
          <EntryTable entries={list.data.data} />
          <Pager page={page} perPage={PER_PAGE} total={list.data.meta.total} onPage={setPage} />
        </>
      )}
    </Page>
  );
}

function EntryTable({ entries }: { entries: readonly ExpandedEntry[] }) {
  return (
    <div class="table-box">
      <table class="table">
        <caption class="visually-hidden">Watched names</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">Expires</th>
            <th scope="col">Checked</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">
                <a href={namePath(entry.domain)}>{entry.domain}</a>
              </th>
              <td>
                <PhaseBadge phase={entry.lifecycle?.phase ?? entry.status} />
              </td>
              <td>
                <When at={entry.lifecycle?.expires_at ?? null} show="day" />
              </td>
              <td>
                <When at={entry.last_checked_at} otherwise="not yet" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
