import type { Expected, Record as RegistrationRecord } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';
import { EntryFormDialog, useEntryForm } from './entry-form.js';
import { asItIs, type ExpectedForm, toExpectedChange, toExpectedForm } from './expected-form.js';

interface ExpectedDialogProps {
  readonly entryId: string;
  readonly record: RegistrationRecord | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Edits the expected record. Differences from it are shown in the list and on the name's page. */
export function ExpectedDialog({ entryId, record, onSaved, onClose }: ExpectedDialogProps) {
  const state = useEntryForm({
    id: entryId,
    toForm: toExpectedForm,
    toChange: toExpectedChange,
    onSaved: () => {
      onSaved();
      onClose();
    },
  });
  return (
    <EntryFormDialog title="Expected values" state={state} onClose={onClose}>
      {(form) => (
        <>
          <p class="muted">
            Empty fields are not compared. A value that the registry does not publish is no difference.
          </p>
          {record && (
            <button type="button" class="button small" onClick={() => state.set(asItIs(record))}>
              Use current values
            </button>
          )}
          <label class="field">
            <span class="field-label">Name servers</span>
            <textarea
              rows={3}
              spellcheck={false}
              placeholder={'ns1.example.net\nns2.example.net'}
              value={form.nameservers}
              onInput={({ currentTarget }) => state.set({ nameservers: currentTarget.value })}
            />
            <span class="field-hint">One per line, in any order.</span>
          </label>
          <div class="field-row">
            <label class="field">
              <span class="field-label">IANA id of the registrar</span>
              <input
                inputMode="numeric"
                pattern="[1-9][0-9]{0,6}"
                title="A number of up to seven digits"
                placeholder="292"
                value={form.registrarId}
                onInput={({ currentTarget }) => state.set({ registrarId: currentTarget.value })}
              />
            </label>
            <label class="field">
              <span class="field-label">Transfers</span>
              <select
                value={form.transfers}
                onChange={({ currentTarget }) =>
                  state.set({ transfers: currentTarget.value as ExpectedForm['transfers'] })
                }
              >
                <option value="">Not compared</option>
                <option value="locked">Locked</option>
                <option value="allowed">Allowed</option>
              </select>
            </label>
          </div>
        </>
      )}
    </EntryFormDialog>
  );
}

interface ExpectedFactsProps {
  readonly expected: Expected | null;
  readonly hasDrift: boolean;
  readonly hasRecord: boolean;
}

export function ExpectedFacts({ expected, hasDrift, hasRecord }: ExpectedFactsProps) {
  if (expected === null) return null;
  const { nameservers, registrar_id: registrarId, locked } = expected;
  return (
    <div class="expected">
      <h3>You expect {!hasDrift && <span class="muted">– {hasRecord ? 'and so it is' : 'not compared yet'}</span>}</h3>
      <dl class="facts">
        {registrarId !== undefined && (
          <>
            <dt>Registrar</dt>
            <dd>IANA {registrarId}</dd>
          </>
        )}
        {nameservers !== undefined && (
          <>
            <dt>Name servers</dt>
            <dd>{nameservers.length === 0 ? 'none' : <Text value={nameservers.join(', ')} />}</dd>
          </>
        )}
        {locked !== undefined && (
          <>
            <dt>Transfers</dt>
            <dd>{locked ? 'locked' : 'allowed'}</dd>
          </>
        )}
      </dl>
    </div>
  );
}
