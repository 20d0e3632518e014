import { useState } from 'preact/hooks';
import { changeNotificationChannel, type ChannelDetails } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { defaultSummary, type Summary, WEEKDAYS } from './summary-words.js';

interface SummaryDialogProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  readonly onClose: () => void;
}

/** Edits when a channel gets a summary of all names. Other messages do not depend on this. */
export function SummaryDialog({ channel: { id, summary }, onChanged, onClose }: SummaryDialogProps) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [form, setForm] = useState<Summary>(() => summary ?? defaultSummary());
  const set = (part: Partial<Summary>) => setForm((before) => ({ ...before, ...part }));
  const save = (chosen: Summary | null) =>
    run(changeNotificationChannel({ client, path: { id }, body: { summary: chosen } }), (changed) => {
      onChanged(changed);
      onClose();
    });
  const submit = (event: Event) => {
    event.preventDefault();
    save(form);
  };
  return (
    <Dialog title="Summary" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>All names that need action, in one message.</p>
        <label class="field">
          <span class="field-label">How often</span>
          <select
            value={form.every}
            onChange={({ currentTarget }) => set({ every: currentTarget.value as Summary['every'], on: 1 })}
          >
            <option value="week">Every week</option>
            <option value="month">Every month</option>
          </select>
        </label>
        <label class="field">
          <span class="field-label">Day</span>
          <select value={form.on} onChange={({ currentTarget }) => set({ on: Number(currentTarget.value) })}>
            {dayOptions(form.every).map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="field-label">Time</span>
          <input
            type="time"
            required
            value={form.at}
            onInput={({ currentTarget }) => set({ at: currentTarget.value })}
          />
        </label>
        <label class="field">
          <span class="field-label">Time zone</span>
          <input
            required
            name="zone"
            autocomplete="off"
            spellcheck={false}
            maxLength={64}
            value={form.zone}
            onInput={({ currentTarget }) => set({ zone: currentTarget.value })}
          />
          <span class="field-hint">Such as Europe/Berlin: the time follows its summer time.</span>
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={form.send_empty}
            onChange={({ currentTarget }) => set({ send_empty: currentTarget.checked })}
          />{' '}
          Also when there is nothing to say
        </label>
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Save
          </button>
          {summary !== null && (
            <button type="button" class="button danger" disabled={isBusy} onClick={() => save(null)}>
              Send none
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function dayOptions(every: Summary['every']): readonly { readonly value: number; readonly label: string }[] {
  if (every === 'week') return WEEKDAYS.map((label, index) => ({ value: index + 1, label }));
  return Array.from({ length: 31 }, (_, index) => ({ value: index + 1, label: `${index + 1}.` }));
}
