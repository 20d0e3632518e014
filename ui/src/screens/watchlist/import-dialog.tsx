import { useId, useState } from 'preact/hooks';
import type { Import } from '../../../../clients/typescript/src/index.js';
import type { Failure, Outcome } from '../../api/call.js';
import { saveFile } from '../../api/save-file.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { NotifyCurrent } from '../../components/notify-current.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { importPath } from '../../routes.js';
import { countNames } from './for-each-entry.js';
import type { ChosenColumns } from './choose-column.js';
import { groupErrors, someOf } from './import-errors.js';
import { ColumnTable, readColumns } from './import-columns.js';
import { TakeBack } from './take-back.js';
import {
  countLines,
  findRefusedLines,
  importFile,
  type ImportSource,
  readSource,
  toJsonLines,
  tryFile,
} from './import-file.js';

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onImported: () => void;
}

type Step =
  | { readonly kind: 'choosing'; readonly failure: Failure | null }
  | { readonly kind: 'trying' }
  | { readonly kind: 'tried'; readonly trial: Outcome<Import> }
  | { readonly kind: 'importing'; readonly done: number; readonly total: number }
  | { readonly kind: 'imported'; readonly summary: Import };

/** Imports the names of a file. Previews a CSV first, so that people see its columns and the result. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const [source, setSource] = useState<ImportSource | null>(null);
  const [step, setStep] = useState<Step>({ kind: 'choosing', failure: null });
  const attempt = async (chosen: ImportSource) => {
    setSource(chosen);
    if (chosen.mediaType !== 'text/csv') return;
    setStep({ kind: 'trying' });
    const trial = await tryFile(client, chosen);
    const isReadable = trial.ok || readColumns(trial) !== null || trial.failure.fields.length > 0;
    setStep(isReadable ? { kind: 'tried', trial } : { kind: 'choosing', failure: trial.failure });
  };
  const start = async (file: ImportSource | null) => {
    if (file === null) return;
    const total = countLines(file);
    setStep({ kind: 'importing', done: 0, total });
    const result = await importFile(client, file, (_, done) => setStep({ kind: 'importing', done, total }));
    setStep(result.ok ? { kind: 'imported', summary: result.summary } : { kind: 'choosing', failure: result.failure });
    onImported();
  };
  const saveRefused = async (file: ImportSource) => {
    const outcome = await findRefusedLines(client, file);
    if (outcome.ok) saveFile(outcome.data, 'refused-lines.csv');
    else show({ tone: 'bad', text: outcome.failure.detail || outcome.failure.title });
  };
  const watchOffered = (names: readonly string[]) => void start(toJsonLines(names, {}));
  const isChoosing = step.kind === 'choosing' || step.kind === 'trying' || step.kind === 'tried';
  return (
    <Dialog title="Import a file" onClose={onClose}>
      {isChoosing && (
        <form class="stack" onSubmit={(event) => submit(event, () => start(source))}>
          {step.kind === 'choosing' && step.failure && <ProblemNote failure={step.failure} />}
          <label class="field">
            <span class="field-label">File</span>
            <input
              type="file"
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,text/plain"
              onChange={({ currentTarget: { files } }) => files?.[0] && void readSource(files[0]).then(attempt)}
            />
            <span class="field-hint">
              The CSV of a registrar, one name per line, or one JSON object per line. At most 10 MiB and 100 000 lines.
            </span>
          </label>
          {step.kind === 'trying' && <p role="status">Looking at the file…</p>}
          {step.kind === 'tried' && source && (
            <Trial
              trial={step.trial}
              onChoose={(columns) => void attempt({ ...source, columns })}
              onChooseDates={(dateFormat) => void attempt({ ...source, dateFormat })}
            />
          )}
          {source && (
            <label class="choice">
              <input
                type="checkbox"
                checked={source.updatesExisting === true}
                onChange={({ currentTarget: { checked } }) => void attempt({ ...source, updatesExisting: checked })}
              />
              Update names that are watched already
            </label>
          )}
          {source && (
            <NotifyCurrent
              checked={source.notifyCurrent === true}
              onChange={(notifyCurrent) => setSource({ ...source, notifyCurrent })}
            />
          )}
          <p class="muted">Lines that are refused do not affect the others. Importing a file again changes nothing.</p>
          <div class="button-row">
            <button type="submit" class="button primary" disabled={source === null || !isReady(step)}>
              {source === null ? 'Import' : `Import ${countNames(countReady(step, source))}`}
            </button>
            {step.kind === 'tried' && step.trial.ok && toWrite(step.trial.data) === 0 && (
              <OfferedNames summary={step.trial.data} onWatch={watchOffered} />
            )}
          </div>
        </form>
      )}
      {step.kind === 'importing' && <ImportProgress done={step.done} total={step.total} />}
      {step.kind === 'imported' && (
        <div class="stack">
          <ImportSummary summary={step.summary} />
          <div class="button-row">
            <button type="button" class="button primary" onClick={onClose}>
              Done
            </button>
            {step.summary.failed > 0 && source?.mediaType === 'text/csv' && (
              <button type="button" class="button" onClick={() => void saveRefused(source)}>
                Save the refused lines
              </button>
            )}
            <OfferedNames summary={step.summary} onWatch={watchOffered} />
            {step.summary.import_id !== undefined && (
              <>
                <a class="button" href={importPath(step.summary.import_id)} onClick={onClose}>
                  See what it added
                </a>
                <TakeBack
                  importId={step.summary.import_id}
                  count={step.summary.created}
                  onDone={() => {
                    onImported();
                    onClose();
                  }}
                />
              </>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}

function isReady(step: Step): boolean {
  return step.kind === 'choosing' || (step.kind === 'tried' && step.trial.ok && toWrite(step.trial.data) > 0);
}

function countReady(step: Step, source: ImportSource): number {
  return step.kind === 'tried' && step.trial.ok ? toWrite(step.trial.data) : countLines(source);
}

function toWrite({ created, changed = 0 }: Import): number {
  return created + changed;
}

interface TrialProps {
  readonly trial: Outcome<Import>;
  readonly onChoose: (columns: ChosenColumns) => void;
  readonly onChooseDates: (format: 'dmy' | 'mdy') => void;
}

/** Shows the columns and the lines that would be refused. Asks about dates that can be read in two ways. */
function Trial({ trial, onChoose, onChooseDates }: TrialProps) {
  const read = readColumns(trial);
  const asksForDates = !trial.ok && trial.failure.fields.some(({ pointer }) => pointer.endsWith('date_format'));
  return (
    <>
      {!trial.ok && <ProblemNote failure={trial.failure} />}
      {asksForDates && (
        <div class="button-row">
          <button type="button" class="button" onClick={() => onChooseDates('dmy')}>
            The day comes first
          </button>
          <button type="button" class="button" onClick={() => onChooseDates('mdy')}>
            The month comes first
          </button>
        </div>
      )}
      {read && <ColumnTable {...read} onChoose={onChoose} />}
      {trial.ok && <ImportSummary summary={trial.data} />}
    </>
  );
}

/** Offers the registrable names inside lines with URLs or longer names. */
function OfferedNames({ summary, onWatch }: { summary: Import; onWatch: (names: readonly string[]) => void }) {
  const names = [
    ...new Set(summary.errors.flatMap(({ registrable_domain: name }) => (name === undefined ? [] : [name]))),
  ];
  const [first] = names;
  if (first === undefined) return null;
  return (
    <button type="button" class="button" onClick={() => onWatch(names)}>
      Watch {names.length === 1 ? first : `the ${countNames(names.length)} in them`}
    </button>
  );
}

function submit(event: Event, start: () => Promise<void>): void {
  event.preventDefault();
  void start();
}

export function ImportProgress({ done, total }: { done: number; total: number }) {
  const id = useId();
  return (
    <div class="stack import-progress">
      <p id={id}>
        {done.toLocaleString('en')} of {countNames(total)}
      </p>
      <progress aria-labelledby={id} max={Math.max(1, total)} value={Math.min(done, total)} />
      <p class="muted">Keep this page open until it is done.</p>
    </div>
  );
}

interface ImportSummaryProps {
  readonly summary: Import;
  /** Whether to show line numbers. Pasted names have none. */
  readonly hasLines?: boolean;
}

export function ImportSummary({ summary, hasLines = true }: ImportSummaryProps) {
  const { dry_run, created, changed = 0, existing, failed, errors } = summary;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <div class="stack">
      <p role="status">
        <strong>{count(created)}</strong> {dry_run ? 'to add' : 'added'},{' '}
        {changed > 0 && (
          <>
            <strong>{count(changed)}</strong> {dry_run ? 'to change' : 'changed'},{' '}
          </>
        )}
        <strong>{count(existing)}</strong> watched already, <strong>{count(failed)}</strong> refused.
      </p>
      {errors.length > 0 && (
        <div class="table-box import-errors" tabIndex={0} role="region" aria-label="What was refused">
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">How many</th>
                <th scope="col">Why</th>
                {hasLines && <th scope="col">Where</th>}
                <th scope="col">Names</th>
              </tr>
            </thead>
            <tbody>
              {groupErrors(errors).map(({ message, column, lines }) => (
                <tr key={lines[0].line}>
                  <td data-label="How many">{count(lines.length)}</td>
                  <td data-label="Why">
                    {column !== null && <strong>{column}: </strong>}
                    <Text value={message} />
                  </td>
                  {hasLines && <td data-label="Where">{someOf(lines.map(({ line }) => String(line)))}</td>}
                  <td data-label="Names">
                    <Text value={someOf(lines.map(({ domain }) => domain ?? '–'))} max={120} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {failed > errors.length && <p class="muted">These are the first {count(errors.length)} of them.</p>}
    </div>
  );
}
