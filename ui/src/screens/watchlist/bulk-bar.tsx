import { useState } from 'preact/hooks';
import type { ListQuery } from './list-query.js';
import { Icon } from '../../components/icon.js';
import { countNames } from './for-each-entry.js';
import { toTarget } from './many.js';
import { ChangeManyDialog, RemoveManyDialog } from './many-dialog.js';
import type { ManyForm } from './many-form.js';
import { focusSelectAll, type Selection } from './selection.js';
import { useRemovals } from './removals.js';

interface BulkBarProps {
  readonly selection: Selection;
  readonly query: ListQuery;
  readonly onChanged: () => void;
}

/** A change with a preset field, or a removal. */
type OpenDialog = Partial<ManyForm> | 'removal' | null;

export function BulkBar({ selection, query, onChanged }: BulkBarProps) {
  const removals = useRemovals();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const { entries, count, isOfAllPages, clear, selectAllPages } = selection;
  if (entries.length === 0) return null;
  /** Clears the selection. The bar disappears then, so the focus moves to the checkbox for all names. */
  const close = () => {
    clear();
    focusSelectAll();
  };
  const remove = () => {
    if (isOfAllPages) return setDialog('removal');
    removals.remove(entries, onChanged);
    close();
  };
  const target = isOfAllPages ? toTarget(query) : { id: entries.map(({ id }) => id) };
  const shared = { target, count, onClose: () => setDialog(null) };
  return (
    <div class="bulk-bar" role="group" aria-label="Selected names">
      <p role="status">
        {isOfAllPages ? `All ${countNames(count)} that match are selected` : `${countNames(count)} selected`}
      </p>
      <div class="button-row">
        <button type="button" class="button small primary" onClick={() => setDialog({})}>
          Change…
        </button>
        <button type="button" class="button small" onClick={() => setDialog({ checks: 'paused' })}>
          <Icon name="pause" /> Pause…
        </button>
        <button type="button" class="button small" onClick={() => setDialog({ checks: 'resumed' })}>
          <Icon name="play" /> Resume…
        </button>
        <button type="button" class="button small danger" onClick={remove}>
          <Icon name="trash" /> {isOfAllPages ? 'Remove…' : 'Remove'}
        </button>
        {selection.state === 'some' && (
          <button type="button" class="link-button" onClick={selection.selectAll}>
            Select the whole page
          </button>
        )}
        {selection.state === 'all' && !isOfAllPages && selectAllPages && (
          <button type="button" class="link-button" onClick={selectAllPages}>
            Select all {countNames(selection.total)} that match
          </button>
        )}
        <button type="button" class="link-button" onClick={close}>
          Clear selection
        </button>
      </div>
      {dialog !== null && dialog !== 'removal' && <ChangeManyDialog {...shared} initial={dialog} onDone={onChanged} />}
      {dialog === 'removal' && <RemoveManyDialog {...shared} onChosen={close} onDone={onChanged} />}
    </div>
  );
}
