import { useState } from 'preact/hooks';
import {
  changeWatchlistEntry,
  type Client,
  type ExpandedEntry,
  getWatchlistEntry,
} from '../../../../clients/typescript/src/index.js';
import { call, type Outcome } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { onlyIfSame, withVersion } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { useToasts } from '../../components/toasts.js';
import { bulkText, countNames, forEachEntry } from './for-each-entry.js';
import { focusSelectAll, type Selection } from './selection.js';
import { useRemovals } from './removals.js';

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

interface TagDialogProps {
  readonly count: number;
  readonly onTag: (tag: string) => void;
  readonly onClose: () => void;
}

/** Asks for the tag that several names get besides those that they have. */
function TagDialog({ count, onTag, onClose }: TagDialogProps) {
  const [text, setText] = useState('');
  const tag = text.trim();
  const submit = (event: Event) => {
    event.preventDefault();
    if (tag !== '') onTag(tag);
  };
  return (
    <Dialog title={`Tag ${countNames(count)}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="field">
          <span class="field-label">Tag</span>
          <input
            required
            placeholder="brand"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <span class="field-hint">The tags that a name has already stay.</span>
        </label>
        <button type="submit" class="button primary" disabled={tag === ''}>
          Add the tag
        </button>
      </form>
    </Dialog>
  );
}

/** Adds a tag to those that the entry has now, so that a tag which was added elsewhere meanwhile stays. */
async function addTag(client: Client, { id }: ExpandedEntry, tag: string): Promise<Outcome<unknown>> {
  const path = { id };
  const read = await call(withVersion(getWatchlistEntry({ client, path })));
  if (!read.ok) return read;
  const { value, etag } = read.data;
  if (value.tags.includes(tag)) return { ok: true, data: value };
  const tags = [...value.tags, tag];
  return call(changeWatchlistEntry({ client, path, headers: onlyIfSame(etag), body: { tags } }));
}
