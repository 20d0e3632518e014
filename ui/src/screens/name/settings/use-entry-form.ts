import { useState } from 'preact/hooks';
import {
  type ChangeWatchBody,
  changeWatchlistEntry,
  type Entry,
  getWatchlistEntry,
} from '../../../../../clients/typescript/src/index.js';
import type { Failure } from '../../../api/failure.js';
import { useSession } from '../../../api/session.js';
import { useAction } from '../../../api/use-action.js';
import { useRequest } from '../../../api/use-request.js';
import { onlyIfSame, withVersion } from '../../../api/versioned.js';

export interface EntryForm<Form> {
  /** null until the entry has been read. */
  readonly form: Form | null;
  readonly set: (part: Partial<Form>) => void;
  readonly save: () => void;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** The entry was changed elsewhere since it was read: nothing was saved. */
  readonly isOutdated: boolean;
  /** Reads the entry again. What was typed stays; fields that were not touched show what is saved now. */
  readonly reload: () => void;
}

interface EntryFormOptions<Form> {
  readonly id: string;
  readonly toForm: (entry: Entry) => Form;
  /** What differs, and nothing else. */
  readonly toChange: (form: Form, before: Form) => ChangeWatchBody;
  readonly onSaved: () => void;
}

/** Settings of an entry, saved only if it was not changed elsewhere meanwhile. */
export function useEntryForm<Form extends object>(options: EntryFormOptions<Form>): EntryForm<Form> {
  const { id, toForm, toChange, onSaved } = options;
  const { client } = useSession();
  const read = useRequest((signal) => withVersion(getWatchlistEntry({ client, signal, path: { id } })), [id]);
  const [edits, setEdits] = useState<Partial<Form>>({});
  const saving = useAction();
  const [isReadAgain, setReadAgain] = useState(false);
  const before = read.data && toForm(read.data.value);
  const form = before && { ...before, ...edits };
  const save = () => {
    if (!read.data || !before || !form) return;
    setReadAgain(false);
    const headers = onlyIfSame(read.data.etag);
    saving.run(changeWatchlistEntry({ client, path: { id }, headers, body: toChange(form, before) }), onSaved);
  };
  const isOutdated = saving.failure?.code === 'precondition_failed' && !isReadAgain;
  const failure = read.failure ?? (isReadAgain ? null : saving.failure);
  const reload = () => {
    setReadAgain(true);
    read.reload();
  };
  const set = (part: Partial<Form>) => setEdits((all) => ({ ...all, ...part }));
  return { form, set, save, isBusy: saving.isBusy || read.isLoading, failure, isOutdated, reload };
}
