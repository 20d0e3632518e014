import { useState } from 'preact/hooks';
import { Dialog } from '../../../components/dialog.js';
import { countNames } from './for-each-entry.js';

interface TagDialogProps {
  readonly count: number;
  readonly onTag: (tag: string) => void;
  readonly onClose: () => void;
}

/** Asks for the tag that several names get besides those that they have. */
export function TagDialog({ count, onTag, onClose }: TagDialogProps) {
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
            maxLength={50}
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
