import { useId, useState } from 'preact/hooks';
import type { Import } from '../../../../clients/typescript/src/index.js';
import type { Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { countNames } from './for-each-entry.js';
import { countLines, importFile, type ImportSource, toImportSource } from './import-file.js';

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onImported: () => void;
}

type Step =
  | { readonly kind: 'choosing'; readonly failure: Failure | null }
  | { readonly kind: 'importing'; readonly done: number; readonly total: number }
  | { readonly kind: 'imported'; readonly summary: Import };

/** Watches every name of a file. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const { client } = useSession();
  const [source, setSource] = useState<ImportSource | null>(null);
  const [step, setStep] = useState<Step>({ kind: 'choosing', failure: null });
  const choose = async (file: File | undefined) =>
    setSource(file ? toImportSource(file.name, await file.text()) : null);
  const start = async () => {
    if (source === null) return;
    const total = countLines(source);
    setStep({ kind: 'importing', done: 0, total });
    const result = await importFile(client, source, (_, done) => setStep({ kind: 'importing', done, total }));
    setStep(result.ok ? { kind: 'imported', summary: result.summary } : { kind: 'choosing', failure: result.failure });
    onImported();
  };
  return (
    <Dialog title="Import a file" onClose={onClose}>
      {step.kind === 'choosing' && (
        <form class="stack" onSubmit={(event) => submit(event, start)}>
          {step.failure && <ProblemNote failure={step.failure} />}
          <label class="field">
            <span class="field-label">File</span>
            <input
              type="file"
              accept=".csv,.txt,.ndjson,.jsonl,text/csv,text/plain"
              onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
            />
            <span class="field-hint">
              CSV with a first line such as <code>domain,interval_minutes,tags,note</code>, one JSON object per line, or
              one name per line. At most 10 MiB and 100 000 lines.
            </span>
          </label>
          <p class="muted">Lines that are refused do not affect the others. Importing a file again changes nothing.</p>
          <button type="submit" class="button primary" disabled={source === null}>
            {source === null ? 'Import' : `Import ${countNames(countLines(source))}`}
          </button>
        </form>
      )}
      {step.kind === 'importing' && <ImportProgress done={step.done} total={step.total} />}
      {step.kind === 'imported' && (
        <div class="stack">
          <ImportSummary summary={step.summary} />
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      )}
    </Dialog>
  );
}

function submit(event: Event, start: () => Promise<void>): void {
  event.preventDefault();
  void start();
}

/** Lines that the service has written, of all that were sent. */
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

const SHOWN_ERRORS = 100;

interface ImportSummaryProps {
  readonly summary: Import;
  /** Whether a person sees the lines: those of a file, not of what was pasted. */
  readonly hasLines?: boolean;
}

/** Counts, and the lines that were refused with the reason of each. */
export function ImportSummary({ summary, hasLines = true }: ImportSummaryProps) {
  const { created, existing, failed, errors } = summary;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <div class="stack">
      <p role="status">
        <strong>{count(created)}</strong> added, <strong>{count(existing)}</strong> watched already,{' '}
        <strong>{count(failed)}</strong> refused.
      </p>
      {errors.length > 0 && (
        <div class="table-box import-errors" tabIndex={0} role="region" aria-label="What was refused">
          <table class="table">
            <thead>
              <tr>
                {hasLines && <th scope="col">Line</th>}
                <th scope="col">Name</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {errors.slice(0, SHOWN_ERRORS).map(({ line, domain, message }) => (
                <tr key={line}>
                  {hasLines && <td>{line}</td>}
                  <td>
                    <Text value={domain ?? '–'} max={60} />
                  </td>
                  <td>
                    <Text value={message} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {failed > Math.min(SHOWN_ERRORS, errors.length) && (
        <p class="muted">The first {count(Math.min(SHOWN_ERRORS, errors.length))} of them are listed.</p>
      )}
    </div>
  );
}
