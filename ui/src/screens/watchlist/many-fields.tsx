import type { ComponentChildren } from 'preact';
import { useSession } from '../../api/session.js';
import { describeInterval } from './interval-words.js';
import { PURPOSES } from '../../components/purpose-words.js';
import type { Purpose } from './list-query.js';
import type { ManyForm } from './many-form.js';

interface FieldsProps {
  readonly form: ManyForm;
  readonly set: (part: Partial<ManyForm>) => void;
}

/** Shows the fields that can be set for many names. Nothing is chosen at first. */
export function ManyFields({ form, set }: FieldsProps) {
  const { me } = useSession();
  return (
    <>
      <div class="field-row">
        <Select
          label="Check"
          value={form.interval?.toString() ?? ''}
          onChange={(minutes) => set({ interval: minutes === '' ? null : Number(minutes) })}
        >
          <option value="">No change</option>
          {me.limits.intervals.map((minutes) => (
            <option key={minutes} value={minutes}>
              {describeInterval(minutes)}
            </option>
          ))}
        </Select>
        <Select
          label="Purpose"
          value={form.purpose ?? ''}
          onChange={(purpose) => set({ purpose: purpose === '' ? null : (purpose as Purpose) })}
        >
          <option value="">No change</option>
          {Object.entries(PURPOSES).map(([purpose, label]) => (
            <option key={purpose} value={purpose}>
              {label}
            </option>
          ))}
        </Select>
        <Select label="Pause" value={form.checks} onChange={(checks) => set({ checks: checks as ManyForm['checks'] })}>
          <option value="keep">No change</option>
          <option value="paused">pause checks</option>
          <option value="resumed">resume checks</option>
        </Select>
      </div>
      <div class="field-row">
        <Input
          label="Add tags"
          value={form.addTags}
          placeholder="brand, shop"
          onInput={(addTags) => set({ addTags })}
        />
        <Input label="Take tags off" value={form.removeTags} onInput={(removeTags) => set({ removeTags })} />
      </div>
      <NoteFields form={form} set={set} />
      <ReminderFields form={form} set={set} />
      <details>
        <summary>Renewal and expected values</summary>
        <div class="stack">
          <RenewalFields form={form} set={set} />
          <RecordFields form={form} set={set} />
        </div>
      </details>
    </>
  );
}

function NoteFields({ form, set }: FieldsProps) {
  return (
    <div class="field-row">
      <Select
        label="Note"
        value={form.noteChoice}
        onChange={(choice) => set({ noteChoice: choice as ManyForm['noteChoice'] })}
      >
        <option value="keep">No change</option>
        <option value="none">no note</option>
        <option value="set">this one</option>
      </Select>
      {form.noteChoice === 'set' && (
        <Input label="Text of the note" required value={form.note} onInput={(note) => set({ note })} />
      )}
    </div>
  );
}

function ReminderFields({ form, set }: FieldsProps) {
  return (
    <div class="field-row">
      <Select
        label="Reminders"
        value={form.remind}
        onChange={(remind) => set({ remind: remind as ManyForm['remind'] })}
      >
        <option value="keep">No change</option>
        <option value="usual">the usual days</option>
        <option value="none">none</option>
        <option value="set">on these days</option>
      </Select>
      {form.remind === 'set' && (
        <Input
          label="Days before the expiry"
          required
          pattern="[0-9,; ]*"
          placeholder="90, 30, 7"
          value={form.remindDays}
          onInput={(remindDays) => set({ remindDays })}
        />
      )}
      <Input
        label="Expiring, days before the expiry"
        kind={{ type: 'number', min: 1, max: 365 }}
        placeholder="No change"
        value={form.expiringDays}
        onInput={(expiringDays) => set({ expiringDays })}
      />
    </div>
  );
}

function RenewalFields({ form, set }: FieldsProps) {
  return (
    <div class="field-row">
      <Select
        label="Renew on"
        value={form.renewal}
        onChange={(choice) => set({ renewal: choice as ManyForm['renewal'] })}
      >
        <option value="keep">No change</option>
        <option value="none">No renewal date</option>
        <option value="set">this day</option>
      </Select>
      {form.renewal === 'set' && (
        <>
          <Input
            label="Day"
            kind={{ type: 'date' }}
            required
            value={form.renewalOn}
            onInput={(renewalOn) => set({ renewalOn })}
          />
          <Input label="Note on the renewal" value={form.renewalNote} onInput={(renewalNote) => set({ renewalNote })} />
        </>
      )}
    </div>
  );
}

function RecordFields({ form, set }: FieldsProps) {
  return (
    <>
      <Select
        label="Expected values"
        value={form.record}
        onChange={(choice) => set({ record: choice as ManyForm['record'] })}
      >
        <option value="keep">No change</option>
        <option value="current">as the registry says now</option>
        <option value="none">Don’t compare</option>
        <option value="set">these</option>
      </Select>
      {form.record === 'set' && (
        <div class="field-row">
          <Input label="Name servers" value={form.nameservers} onInput={(nameservers) => set({ nameservers })} />
          <Input
            label="IANA id of the registrar"
            value={form.registrarId}
            onInput={(registrarId) => set({ registrarId })}
          />
          <Select
            label="Transfers"
            value={form.transfers}
            onChange={(transfers) => set({ transfers: transfers as ManyForm['transfers'] })}
          >
            <option value="">not compared</option>
            <option value="locked">locked</option>
            <option value="allowed">allowed</option>
          </Select>
        </div>
      )}
    </>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ComponentChildren;
}

function Select({ label, value, onChange, children }: SelectProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}

interface InputProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly kind?: { readonly type: 'number'; readonly min: 1; readonly max: 365 } | { readonly type: 'date' };
  readonly placeholder?: string;
  readonly pattern?: string;
  readonly required?: boolean;
}

function Input({ label, onInput, kind, ...attributes }: InputProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <input {...kind} {...attributes} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
    </label>
  );
}
