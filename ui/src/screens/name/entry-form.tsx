import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  type ChangeWatchBody,
  changeWatchlistEntry,
  type Entry,
  getWatchlistEntry,
} from '../../../../clients/typescript/src/index.js';
import type { Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { onlyIfSame, useAction, useRequest, withVersion } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { Loading } from '../../components/page.js';
import { NotifyCurrent } from '../../components/notify-current.js';
import { ProblemNote } from '../../components/problem-note.js';

interface EntryFormDialogProps<Form> {
  readonly title: string;
  readonly state: EntryForm<Form>;
  readonly onClose: () => void;
  readonly children: (form: Form) => ComponentChildren;
}

/** A dialog with fields of an entry. If somebody else changed the entry meanwhile, offers to read it again. */
export function EntryFormDialog<Form>({ title, state, onClose, children }: EntryFormDialogProps<Form>) {
  const { form, save, isBusy, failure, isOutdated, reload } = state;
  const submit = (event: Event) => {
    event.preventDefault();
    save();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {form === null && failure === null && <Loading />}
      <form class="stack" onSubmit={submit}>
        {failure && <ProblemNote failure={failure} {...(form === null ? { onRetry: reload } : {})} />}
        {isOutdated && (
          <div class="stack">
            <p>Nothing was saved. Read it again: what you typed stays, the other fields show what is saved now.</p>
            <button type="button" class="button" onClick={reload}>
              Read it again
            </button>
          </div>
        )}
        {form && children(form)}
        {form && <NotifyCurrent checked={state.notifyCurrent} onChange={state.setNotifyCurrent} />}
        {form && (
          <button type="submit" class="button primary" disabled={isBusy || isOutdated}>
            Save
          </button>
        )}
      </form>
    </Dialog>
  );
}

interface EntryForm<Form> {
  /** null until the entry has been read. */
  readonly form: Form | null;
  readonly set: (part: Partial<Form>) => void;
  readonly notifyCurrent: boolean;
  readonly setNotifyCurrent: (notifyCurrent: boolean) => void;
  readonly save: () => void;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Whether somebody else changed the entry meanwhile, so that nothing was saved. */
  readonly isOutdated: boolean;
  /** Reads the entry again. Typed text stays; untouched fields show the saved values. */
  readonly reload: () => void;
}

interface EntryFormOptions<Form> {
  readonly id: string;
  readonly toForm: (entry: Entry) => Form;
  /** Returns only the changed fields. */
  readonly toChange: (form: Form, before: Form) => ChangeWatchBody;
  readonly onSaved: () => void;
}

/** Edits settings of an entry. Saves only if nobody else changed the entry meanwhile. */
export function useEntryForm<Form extends object>(options: EntryFormOptions<Form>): EntryForm<Form> {
  const { id, toForm, toChange, onSaved } = options;
  const { client } = useSession();
  const read = useRequest((signal) => withVersion(getWatchlistEntry({ client, signal, path: { id } })), [id]);
  const [edits, setEdits] = useState<Partial<Form>>({});
  const [notifyCurrent, setNotifyCurrent] = useState(false);
  const saving = useAction();
  const [isReadAgain, setReadAgain] = useState(false);
  const before = read.data && toForm(read.data.value);
  const form = before && { ...before, ...edits };
  const save = () => {
    if (!read.data || !before || !form) return;
    setReadAgain(false);
    const headers = onlyIfSame(read.data.etag);
    const body = { ...toChange(form, before), ...(notifyCurrent && { notify_current: true }) };
    saving.run(changeWatchlistEntry({ client, path: { id }, headers, body }), onSaved);
  };
  const isOutdated = saving.failure?.code === 'precondition_failed' && !isReadAgain;
  const failure = read.failure ?? (isReadAgain ? null : saving.failure);
  const reload = () => {
    setReadAgain(true);
    read.reload();
  };
  const set = (part: Partial<Form>) => setEdits((all) => ({ ...all, ...part }));
  const isBusy = saving.isBusy || read.isLoading;
  return { form, set, notifyCurrent, setNotifyCurrent, save, isBusy, failure, isOutdated, reload };
}
