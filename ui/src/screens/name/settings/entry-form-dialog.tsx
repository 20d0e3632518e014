import type { ComponentChildren } from 'preact';
import { Dialog } from '../../../components/dialog.js';
import { Loading } from '../../../components/loading.js';
import { ProblemNote } from '../../../components/problem-note.js';
import type { EntryForm } from './use-entry-form.js';

interface EntryFormDialogProps<Form> {
  readonly title: string;
  readonly state: EntryForm<Form>;
  readonly onClose: () => void;
  readonly children: (form: Form) => ComponentChildren;
}

/** A dialog with fields of an entry, and what to do when it was changed elsewhere meanwhile. */
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
        {form && (
          <button type="submit" class="button primary" disabled={isBusy || isOutdated}>
            Save
          </button>
        )}
      </form>
    </Dialog>
  );
}
