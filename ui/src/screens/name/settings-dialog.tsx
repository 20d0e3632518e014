import { PURPOSES } from '../../components/purpose-words.js';
import { EntryFormDialog, useEntryForm } from './entry-form.js';
import { type SettingsForm, toSettingsChange, toSettingsForm } from './settings-form.js';
import { IntervalField } from '../watchlist/interval-field.js';

interface SettingsDialogProps {
  readonly entryId: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Edits the settings of an entry. Sends only changed fields. */
export function SettingsDialog({ entryId, onClose, onSaved }: SettingsDialogProps) {
  const state = useEntryForm({
    id: entryId,
    toForm: toSettingsForm,
    toChange: toSettingsChange,
    onSaved: () => {
      onSaved();
      onClose();
    },
  });
  return (
    <EntryFormDialog title="Settings of this name" state={state} onClose={onClose}>
      {(form) => <SettingsFields form={form} set={state.set} />}
    </EntryFormDialog>
  );
}

interface FieldsProps {
  readonly form: SettingsForm;
  readonly set: (part: Partial<SettingsForm>) => void;
}

function SettingsFields({ form, set }: FieldsProps) {
  return (
    <>
      <CheckFields form={form} set={set} />
      <label class="field">
        <span class="field-label">Tags, separated by commas</span>
        <input value={form.tags} onInput={({ currentTarget }) => set({ tags: currentTarget.value })} />
      </label>
      <label class="field">
        <span class="field-label">Note</span>
        <textarea rows={2} value={form.note} onInput={({ currentTarget }) => set({ note: currentTarget.value })} />
      </label>
      <ReminderFields form={form} set={set} />
    </>
  );
}

function CheckFields({ form, set }: FieldsProps) {
  return (
    <div class="field-row">
      <IntervalField value={form.interval} onChange={(interval) => set({ interval })} />
      <label class="field">
        <span class="field-label">Purpose</span>
        <select
          value={form.purpose}
          onChange={({ currentTarget }) => set({ purpose: currentTarget.value as SettingsForm['purpose'] })}
        >
          {Object.entries(PURPOSES).map(([purpose, label]) => (
            <option key={purpose} value={purpose}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function ReminderFields({ form, set }: FieldsProps) {
  return (
    <>
      <div class="field-row">
        <label class="field">
          <span class="field-label">Remind, days before the expiry</span>
          <input
            pattern="[0-9,; ]*"
            title="Numbers of days, separated by commas"
            placeholder={form.remindDays === null ? 'the usual days' : 'no reminders'}
            value={form.remindDays ?? ''}
            onInput={({ currentTarget }) => set({ remindDays: currentTarget.value })}
          />
          <span class="field-hint">
            {form.remindDays === null ? (
              'The service’s own choice.'
            ) : (
              <>
                Empty: no reminders.{' '}
                <button type="button" class="link-button" onClick={() => set({ remindDays: null })}>
                  Use the usual days
                </button>
              </>
            )}
          </span>
        </label>
        <label class="field">
          <span class="field-label">Expiring, days before the expiry</span>
          <input
            type="number"
            min={1}
            required
            value={form.expiringDays}
            onInput={({ currentTarget }) => set({ expiringDays: currentTarget.value })}
          />
          <span class="field-hint">From then on its status is “Expiring”.</span>
        </label>
      </div>
      <div class="field-row">
        <label class="field">
          <span class="field-label">Renew on</span>
          <input
            type="date"
            value={form.renewalOn}
            onInput={({ currentTarget }) => set({ renewalOn: currentTarget.value })}
          />
          <span class="field-hint">Counts where the registry publishes no expiry.</span>
        </label>
        <label class="field">
          <span class="field-label">Note on the renewal</span>
          <input
            disabled={form.renewalOn === ''}
            value={form.renewalNote}
            onInput={({ currentTarget }) => set({ renewalNote: currentTarget.value })}
          />
          <span class="field-hint">Part of the reminder.</span>
        </label>
      </div>
    </>
  );
}
