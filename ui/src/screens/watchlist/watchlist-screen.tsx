import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { changeWatchlistEntry, type ExpandedEntry, listWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Icon } from '../../components/icon.js';
import { Loading, Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useToasts } from '../../components/toasts.js';
import { AddDialog } from './add-dialog.js';
import { BulkBar } from './bulk-bar.js';
import { useSelection } from './selection.js';
import { EmptyWatchlist, NothingFound } from './empty-watchlist.js';
import { EntryTable } from './entry-table.js';
import { ExportButton } from './export-button.js';
import { ImportDialog, ImportProgress } from './import-dialog.js';
import { isFiltered, type ListQuery, PER_PAGE, toApiFilters, toApiQuery, useListQuery } from './list-query.js';
import { ListToolbar } from './list-toolbar.js';
import { Overview } from './overview.js';
import { useRemovals } from './removals.js';
import { TakeBack } from './take-back.js';
import { useListKeys } from './list-keys.js';
import { useListUpdates } from './use-list-updates.js';

type OpenDialog = 'add' | 'import' | null;

export function WatchlistScreen() {
  const { client, can } = useSession();
  const { show } = useToasts();
  const removals = useRemovals();
  const [query, change] = useListQuery();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const list = useRequest((signal) => listWatchlist({ client, signal, query: toApiQuery(query) }), [query]);
  const entries = (list.data?.data ?? []).filter(({ id }) => !removals.pending.has(id));
  const total = list.data?.meta.total ?? 0;
  useListKeys();
  const selection = useSelection(entries, total, toApiFilters(query));
  const news = useListUpdates(list.data?.data ?? [], list.reload);
  useLastPage(list.data?.meta, query.page, (page) => change({ page }));

  const pause = async (entry: ExpandedEntry, paused: boolean) => {
    const outcome = await call(changeWatchlistEntry({ client, path: { id: entry.id }, body: { paused } }));
    if (!outcome.ok) show({ tone: 'bad', text: `${outcome.failure.title}: ${outcome.failure.detail}` });
    list.reload();
  };
  const [toAdd, endAdding] = useNamesToAdd();
  const close = () => {
    setDialog(null);
    endAdding();
  };
  const isEmpty = list.data !== null && total === 0;
  return (
    <Page title="Watchlist" actions={<Actions hasNames={total > 0} query={query} onOpen={setDialog} />}>
      <Overview query={query} listed={list.data} />
      {!can('watchlist:write') && (
        <p class="muted">
          Your key may read only: it lacks the scope <code>watchlist:write</code>.
        </p>
      )}
      {list.failure && <ProblemNote failure={list.failure} onRetry={list.reload} />}
      {list.data === null && list.isLoading && <Loading />}
      {isEmpty && !isFiltered(query) && <EmptyWatchlist onAdd={() => setDialog('add')} onAdded={list.reload} />}
      {query.importId !== null && total > 0 && can('watchlist:write') && (
        <p>
          <TakeBack importId={query.importId} count={total} onDone={list.reload} />
        </p>
      )}
      {list.data !== null && (total > 0 || isFiltered(query)) && <ListToolbar query={query} onChange={change} />}
      <p role="status" class="visually-hidden">
        {news}
      </p>
      {isEmpty && isFiltered(query) && <NothingFound />}
      {removals.progress && (
        <section aria-label="Names are being removed">
          <ImportProgress {...removals.progress} />
        </section>
      )}
      {total > 0 && (
        <div class="list-body" aria-busy={list.isLoading}>
          {can('watchlist:write') && <BulkBar selection={selection} query={query} onChanged={list.reload} />}
          <EntryTable
            entries={entries}
            query={query}
            onChange={change}
            onPause={(entry, paused) => void pause(entry, paused)}
            onRemove={(entry) => removals.remove([entry], list.reload)}
            selection={selection}
          />
          <Pager page={query.page} perPage={PER_PAGE} total={total} onPage={(page) => change({ page })} />
        </div>
      )}
      {(dialog === 'add' || toAdd !== null) && <AddDialog names={toAdd ?? ''} onClose={close} onAdded={list.reload} />}
      {dialog === 'import' && <ImportDialog onClose={close} onImported={list.reload} />}
    </Page>
  );
}

interface ActionsProps {
  readonly hasNames: boolean;
  readonly query: ListQuery;
  readonly onOpen: (dialog: OpenDialog) => void;
}

function Actions({ hasNames, query, onOpen }: ActionsProps) {
  const { can } = useSession();
  return (
    <>
      {hasNames && <ExportButton query={query} />}
      {can('watchlist:write') && (
        <>
          <button type="button" class="button" onClick={() => onOpen('import')}>
            <Icon name="upload" /> Import a file
          </button>
          <button type="button" class="button primary" onClick={() => onOpen('add')}>
            <Icon name="plus" /> Add names
          </button>
        </>
      )}
    </>
  );
}

/** Returns the names to add that the address contains, such as from the command palette. Returns null without any. */
function useNamesToAdd(): [names: string | null, end: () => void] {
  const { query, path, route } = useLocation();
  const names = query['add'] === undefined ? null : query['add'].trim();
  return [names, () => names !== null && route(`${path}/`.replace(/\/+$/, '/'), true)];
}

/** Goes to the last page if the page no longer exists, for example after removals. */
function useLastPage(meta: { total: number } | undefined, page: number, onPage: (page: number) => void): void {
  const go = useRef(onPage);
  go.current = onPage;
  useEffect(() => {
    if (!meta || meta.total === 0) return;
    const last = Math.ceil(meta.total / PER_PAGE);
    if (page > last) go.current(last);
  }, [meta, page]);
}
