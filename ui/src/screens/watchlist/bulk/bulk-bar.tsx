import { useState } from 'preact/hooks';
import { changeWatchlistEntry, type ExpandedEntry } from '../../../../../clients/typescript/src/index.js';
import { call, type Outcome } from '../../../api/call.js';
import { useSession } from '../../../api/session.js';
import { Icon } from '../../../components/icon.js';
import { useToasts } from '../../../components/toasts.js';
import { useRemovals } from '../removals.js';
import { addTag } from './add-tag.js';
import { bulkText, countNames, forEachEntry } from './for-each-entry.js';
import { focusSelectAll } from './select-all.js';
import { TagDialog } from './tag-dialog.js';
import type { Selection } from './use-selection.js';

interface BulkBarProps {
  readonly selection: Selection;
  readonly onChanged: () => void;
}

/** What can be done with all selected names at once. */
export function BulkBar({ selection, onChanged }: BulkBarProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const removals = useRemovals();
  const [isBusy, setBusy] = useState(false);
  const [isTagging, setTagging] = useState(false);
  const { entries, clear } = selection;
  if (entries.length === 0) return null;
  const run = async (act: (entry: ExpandedEntry) => Promise<Outcome<unknown>>, what: string) => {
    setBusy(true);
    const outcome = await forEachEntry(entries, act);
    setBusy(false);
    show({ text: bulkText(outcome, what), tone: outcome.failed.length > 0 ? 'bad' : 'note' });
    onChanged();
  };
  const pause = (paused: boolean) =>
    run(
      ({ id }) => call(changeWatchlistEntry({ client, path: { id }, body: { paused } })),
      paused ? 'paused' : 'checked again',
    );
  /** The bar disappears, and the focus with it. */
  const close = () => {
    clear();
    focusSelectAll();
  };
  const remove = () => {
    removals.remove(entries, onChanged);
    close();
  };
  return (
    <div class="bulk-bar" role="group" aria-label="Selected names">
      <p role="status">{countNames(entries.length)} selected</p>
      <div class="button-row">
        <button type="button" class="button small" disabled={isBusy} onClick={() => void pause(true)}>
          <Icon name="pause" /> Pause
        </button>
        <button type="button" class="button small" disabled={isBusy} onClick={() => void pause(false)}>
          <Icon name="play" /> Resume
        </button>
        <button type="button" class="button small" disabled={isBusy} onClick={() => setTagging(true)}>
          <Icon name="tag" /> Add a tag…
        </button>
        <button type="button" class="button small danger" disabled={isBusy} onClick={remove}>
          <Icon name="trash" /> Remove
        </button>
        {selection.state === 'some' && (
          <button type="button" class="link-button" onClick={selection.selectAll}>
            Select the whole page
          </button>
        )}
        <button type="button" class="link-button" onClick={close}>
          Clear selection
        </button>
      </div>
      {isTagging && (
        <TagDialog
          count={entries.length}
          onTag={(tag) => {
            setTagging(false);
            void run((entry) => addTag(client, entry, tag), `tagged ${tag}`);
          }}
          onClose={() => setTagging(false)}
        />
      )}
    </div>
  );
}
