import { useRef, useState } from 'preact/hooks';
import { type ChangeManyBody, type ManyEntries, removeManyEntries } from '../../../../clients/typescript/src/index.js';
import type { Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Dialog } from '../../components/dialog.js';
import { Loading } from '../../components/page.js';
import { NotifyCurrent } from '../../components/notify-current.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { countNames } from './for-each-entry.js';
import { ImportProgress } from './import-dialog.js';
import { type ManyAct, previewMany, runMany } from './many.js';
import { ManyFields } from './many-fields.js';
import { describeChange } from './many-words.js';
import { type ManyForm, NOTHING_CHOSEN, toManyChange } from './many-form.js';
import { useRemovals } from './removals.js';

interface ManyDialogProps {
  readonly target: ManyAct['target'];
  readonly count: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

type Step =
  | { readonly kind: 'choosing'; readonly failure: Failure | null }
  | { readonly kind: 'trying' }
  | { readonly kind: 'tried'; readonly change: ChangeManyBody; readonly preview: ManyEntries }
  | { readonly kind: 'changing'; readonly done: number; readonly total: number }
  | { readonly kind: 'changed'; readonly result: ManyEntries };

/** Changes many names in four steps: choosing fields, a preview, the progress, and the result. */
export function ChangeManyDialog({
  target,
  count,
  initial,
  onClose,
  onDone,
}: ManyDialogProps & { readonly initial: Partial<ManyForm> }) {
  const { client } = useSession();
  const [form, setForm] = useState<ManyForm>({ ...NOTHING_CHOSEN, ...initial });
  const [step, setStep] = useState<Step>({ kind: 'choosing', failure: null });
  const [notifyCurrent, setNotifyCurrent] = useState(false);
  const chosen = toManyChange(form);
  const change = notifyCurrent ? { ...chosen, notify_current: true } : chosen;
  const [isClosed, isDone] = [useRef(false), useRef(false)];
  /** Reloads the list only now, since the reload may empty the selection, which would close this dialog. */
  const close = () => {
    isClosed.current = true;
    if (isDone.current) onDone();
    onClose();
  };
  const preview = async () => {
    setStep({ kind: 'trying' });
    const tried = await previewMany(client, { target, change });
    setStep(tried.ok ? { kind: 'tried', change, preview: tried.data } : { kind: 'choosing', failure: tried.failure });
  };
  const start = async ({ change: shown, preview: { matched: total } }: Step & { kind: 'tried' }) => {
    setStep({ kind: 'changing', done: 0, total });
    const onProgress = (done: number) => setStep({ kind: 'changing', done, total });
    const outcome = await runMany(client, { target, change: shown }, total, onProgress);
    setStep(outcome.ok ? { kind: 'changed', result: outcome.data } : { kind: 'choosing', failure: outcome.failure });
    isDone.current = true;
    if (isClosed.current) onDone();
  };
  const back = () => setStep({ kind: 'choosing', failure: null });
  return (
    <Dialog title={`Change ${countNames(count)}`} onClose={close}>
      {step.kind === 'choosing' && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void preview();
          }}
        >
          {step.failure && <ProblemNote failure={step.failure} />}
          <ManyFields form={form} set={(part) => setForm((before) => ({ ...before, ...part }))} />
          <NotifyCurrent checked={notifyCurrent} onChange={setNotifyCurrent} />
          <button type="submit" class="button primary" disabled={Object.keys(chosen).length === 0}>
            Preview
          </button>
        </form>
      )}
      {step.kind === 'trying' && <Loading />}
      {step.kind === 'tried' && (
        <div class="stack">
          <p>
            <strong>
              <Text value={describeChange(step.change)} max={300} />
            </strong>
          </p>
          <ManyResult result={step.preview} />
          <div class="button-row">
            {(step.preview.changed ?? 0) > 0 && (
              <button type="button" class="button primary" ref={focus} onClick={() => void start(step)}>
                Change {countNames(step.preview.changed ?? 0)}
              </button>
            )}
            <button type="button" class="button" onClick={back}>
              Back
            </button>
          </div>
        </div>
      )}
      {step.kind === 'changing' && <ImportProgress done={step.done} total={step.total} />}
      {step.kind === 'changed' && (
        <div class="stack">
          <ManyResult result={step.result} />
          <button type="button" class="button primary" ref={focus} onClick={close}>
            Done
          </button>
        </div>
      )}
    </Dialog>
  );
}

/** Focuses the button if its predecessor, which had the focus, was replaced. */
function focus(button: HTMLElement | null): void {
  if (button && document.activeElement?.closest('dialog') === null) button.focus();
}

/** Removes all matching names after a preview. The removal can be undone for a few seconds. */
export function RemoveManyDialog({
  target,
  count,
  onClose,
  onChosen,
  onDone,
}: ManyDialogProps & { readonly onChosen: () => void }) {
  const { client } = useSession();
  const removals = useRemovals();
  const preview = useRequest(
    (signal) => removeManyEntries({ client, signal, query: { ...target, dry_run: true } }),
    [target],
  );
  const remove = (matched: number) => {
    removals.removeMatching(target, matched, onDone);
    onClose();
    onChosen();
  };
  return (
    <Dialog title={`Remove ${countNames(count)}`} onClose={onClose}>
      {preview.failure && <ProblemNote failure={preview.failure} onRetry={preview.reload} />}
      {preview.data === null && preview.isLoading && <Loading />}
      {preview.data && (
        <div class="stack">
          <p role="status">
            <strong>{countNames(preview.data.matched)}</strong> on all pages will no longer be watched:{' '}
            <Names first={preview.data.first} all={preview.data.matched} />
          </p>
          <p class="muted">
            You can undo it for eight seconds. If another number of names matches by then, nothing is removed. Their
            history can still be read, from the audit trail.
          </p>
          <div class="button-row">
            <button type="button" class="button danger" onClick={() => remove(preview.data?.matched ?? 0)}>
              Remove {countNames(preview.data.matched)}
            </button>
            <button type="button" class="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** Shows the result or its preview: counts, some names, and the reasons of refusals. */
function ManyResult({ result }: { readonly result: ManyEntries }) {
  const { dry_run, matched, changed = 0, unchanged, refused, gone, refusals, first } = result;
  const number = (value: number) => value.toLocaleString('en');
  return (
    <>
      <p role="status">
        {countNames(matched)}: <strong>{number(changed)}</strong> {dry_run ? 'to change' : 'changed'},{' '}
        <strong>{number(unchanged)}</strong> unchanged, <strong>{number(refused)}</strong> refused
        {gone > 0 && (
          <>
            , <strong>{number(gone)}</strong> removed or changed elsewhere
          </>
        )}
        .
      </p>
      {first.length > 0 && (
        <p class="muted">
          <Names first={first} all={changed} />
        </p>
      )}
      {refusals.length > 0 && (
        <ul class="plain-list" aria-label="What was refused">
          {refusals.map(({ message, entries, first: names }) => (
            <li key={message}>
              <strong>
                <Text value={message} />
              </strong>{' '}
              <Names first={names} all={entries} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const SHOWN_NAMES = 5;

function Names({ first, all }: { readonly first: readonly string[]; readonly all: number }) {
  const shown = first.slice(0, SHOWN_NAMES);
  const others = all - shown.length;
  return (
    <>
      <bdi>{shown.join(', ')}</bdi>
      {others > 0 && ` and ${others.toLocaleString('en')} more`}
    </>
  );
}
