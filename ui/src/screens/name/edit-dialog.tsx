import { useState } from 'preact/hooks';
import {
  type ChangeWatchBody,
  changeWatchlistEntry,
  type EntryDetails,
  type ExpandedEntry,
} from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import type { Failure } from '../../api/failure.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { describeInterval } from '../watchlist/interval.js';

interface EditDialogProps {
  readonly entry: ExpandedEntry;
  readonly details: EntryDetails;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

interface Form {
  readonly interval: number;
  readonly intent: EntryDetails['intent'];
  readonly tags: string;
  readonly note: string;
  readonly renewalOn: string;
  readonly renewalNote: string;
}

/** Settings of the entry; only what was changed is sent. */
export function EditDialog({ entry, details, onClose, onSaved }: EditDialogProps) {
  const { client, me } = useSession();
  const before = toForm(entry, details);
  const [form, setForm] = useState(before);
  const [failure, setFailure] = useState<Failure | null>(null);
  const set = (part: Partial<Form>) => setForm((form) => ({ ...form, ...part }));
  const save = async (event: Event) => {
    event.preventDefault();
    const body = toChange(before, form);
    const outcome = await call(changeWatchlistEntry({ client, path: { id: entry.id }, body }));
    if (!outcome.ok) return setFailure(outcome.failure);
    onSaved();
    onClose();
  };
  const intervals = [...new Set([...me.limits.intervals, entry.interval_minutes])].sort((one, other) => one - other);
  return (
    <Dialog title="Settings of this name" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        {failure && <ProblemNote failure={failure} />}
        <div class="field-row">
          <label class="field">
            <span class="field-label">Check</span>
            <select
              value={form.interval}
              onChange={({ currentTarget }) => set({ interval: Number(currentTarget.value) })}
            >
              {intervals.map((minutes) => (
                <option key={minutes} value={minutes}>
                  {describeInterval(minutes)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-label">Purpose</span>
            <select
              value={form.intent}
              onChange={({ currentTarget }) => set({ intent: currentTarget.value as Form['intent'] })}
            >
              <option value="own">Ours: keep it</option>
              <option value="acquire">To be acquired</option>
              <option value="monitor">To be monitored</option>
            </select>
          </label>
        </div>
        <label class="field">
          <span class="field-label">Tags, separated by commas</span>
          <input value={form.tags} onInput={({ currentTarget }) => set({ tags: currentTarget.value })} />
        </label>
        <label class="field">
          <span class="field-label">Note</span>
          <textarea rows={3} value={form.note} onInput={({ currentTarget }) => set({ note: currentTarget.value })} />
        </label>
        <div class="field-row">
          <label class="field">
            <span class="field-label">Renew on</span>
            <input
              type="date"
              value={form.renewalOn}
              onInput={({ currentTarget }) => set({ renewalOn: currentTarget.value })}
            />
          </label>
          <label class="field">
            <span class="field-label">Note on the renewal</span>
            <input
              value={form.renewalNote}
              onInput={({ currentTarget }) => set({ renewalNote: currentTarget.value })}
            />
          </label>
        </div>
        <button type="submit" class="button primary">
          Save
        </button>
      </form>
    </Dialog>
  );
}

function toForm({ interval_minutes: interval }: ExpandedEntry, { intent, tags, note, renewal }: EntryDetails): Form {
  const renewalOn = renewal?.on ?? '';
  return { interval, intent, tags: tags.join(', '), note: note ?? '', renewalOn, renewalNote: renewal?.note ?? '' };
}

function toChange(before: Form, form: Form): ChangeWatchBody {
  const { interval, intent, note, renewalOn: on, renewalNote } = form;
  const tags = form.tags.split(',').flatMap((tag) => tag.trim() || []);
  const isRenewalChanged = on !== before.renewalOn || renewalNote !== before.renewalNote;
  return {
    ...(interval !== before.interval && { interval_minutes: interval }),
    ...(intent !== before.intent && { intent }),
    ...(form.tags !== before.tags && { tags: tags.length > 0 ? tags : null }),
    ...(note !== before.note && { note: note === '' ? null : note }),
    ...(isRenewalChanged && { renewal: on === '' ? null : { on, note: renewalNote === '' ? null : renewalNote } }),
  };
}
