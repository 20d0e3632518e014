import { useState } from 'preact/hooks';
import { exportWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import { saveFile } from '../../api/save-file.js';
import { useSession } from '../../api/session.js';
import { isFiltered, type ListQuery, toApiFilters } from './list-query.js';
import { Icon } from '../../components/icon.js';
import { useToasts } from '../../components/toasts.js';

/** Saves all pages of the list as a CSV file, which can be imported again. */
export function ExportButton({ query }: { query: ListQuery }) {
  const { client } = useSession();
  const { show } = useToasts();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const outcome = await call<unknown>(
      exportWatchlist({ client, query: { ...toApiFilters(query), format: 'csv' }, parseAs: 'blob' }),
    );
    setBusy(false);
    if (outcome.ok) saveFile(outcome.data as Blob, `watchlist-${new Date().toISOString().slice(0, 10)}.csv`);
    else show({ tone: 'bad', text: `Nothing was exported: ${outcome.failure.detail || outcome.failure.title}` });
  };
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => void save()}>
      <Icon name="download" /> {isBusy ? 'Exporting…' : isFiltered(query) ? 'Export these' : 'Export'}
    </button>
  );
}
