import { useState } from 'preact/hooks';
import { addToWatchlist, type Client, type Import } from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { NotifyCurrent } from '../../components/notify-current.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useToasts } from '../../components/toasts.js';
import { DoubtNote, useDoubt } from '../check/doubt-note.js';
import { splitPasted } from '../check/pasted-names.js';
import { countNames } from './for-each-entry.js';
import { importFile, type LineOutcome, toJsonLines } from './import-file.js';
import { ImportProgress, ImportSummary } from './import-dialog.js';
import { splitTags } from './many-form.js';
import { IntervalField } from './interval-field.js';

interface AddDialogProps {
  readonly names: string;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

interface Settings {
  readonly interval_minutes: number;
  readonly tags?: string[];
}

interface Request {
  readonly names: readonly string[];
  readonly settings: Settings;
  readonly notifyCurrent: boolean;
}

type Result =
  | { readonly kind: 'added' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'several'; readonly summary: Import; readonly inside: readonly string[] };

/** Adds one name, or many pasted names. */
export function AddDialog({ names: given, onClose, onAdded }: AddDialogProps) {
  const { client, me } = useSession();
  const { show } = useToasts();
  const [text, setText] = useState(given);
  const [tags, setTags] = useState('');
  const [interval, setInterval] = useState(me.limits.default_interval);
  const [notifyCurrent, setNotifyCurrent] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const names = splitPasted(text);
  const doubt = useDoubt(text, setText);

  const add = async (added: readonly string[]) => {
    setDone(0);
    const found = await addNames(
      client,
      { names: added, settings: toSettings(interval, tags), notifyCurrent },
      setDone,
    );
    setDone(null);
    setResult(found);
    if (found.kind !== 'failed') onAdded();
    const isClear = found.kind === 'added' || (found.kind === 'several' && found.summary.failed === 0);
    if (!isClear) return;
    show({
      text:
        found.kind === 'several' ? (
          `${added.length} names are watched`
        ) : (
          <>
            Watching <bdi>{added[0]}</bdi>
          </>
        ),
    });
    onClose();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void add(names);
  };
  if (result?.kind === 'several')
    return (
      <Dialog title="Add names" onClose={onClose}>
        <div class="stack">
          <ImportSummary summary={result.summary} hasLines={false} />
          <InsideButton names={result.inside} isBusy={done !== null} onWatch={(inside) => void add(inside)} />
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Add names" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {result?.kind === 'failed' && <ProblemNote failure={result.failure} />}
        {result?.kind === 'failed' && (
          <InsideButton
            names={insideOf(result.failure)}
            isBusy={done !== null}
            onWatch={(inside) => void add(inside)}
          />
        )}
        <label class="field">
          <span class="field-label">Names</span>
          <textarea
            rows={5}
            spellcheck={false}
            placeholder={'example.com\nexample.org'}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <span class="field-hint">
            One, or many: names or web addresses, one per line, or separated by commas or spaces.
          </span>
        </label>
        <DoubtNote doubt={doubt} />
        <div class="field-row">
          <IntervalField value={interval} onChange={setInterval} />
          <label class="field">
            <span class="field-label">Tags (optional)</span>
            <input
              placeholder="brand, shop"
              value={tags}
              onInput={({ currentTarget }) => setTags(currentTarget.value)}
            />
          </label>
        </div>
        <NotifyCurrent checked={notifyCurrent} onChange={setNotifyCurrent} />
        {done !== null && names.length > 1 && <ImportProgress done={done} total={names.length} />}
        <button
          type="submit"
          class="button primary"
          disabled={names.length === 0 || done !== null || doubt.asked !== null}
        >
          {names.length > 1 ? `Watch ${countNames(names.length)}` : 'Watch'}
        </button>
      </form>
    </Dialog>
  );
}

interface InsideButtonProps {
  readonly names: readonly string[];
  readonly isBusy: boolean;
  readonly onWatch: (names: readonly string[]) => void;
}

/** Offers the registrable names inside refused URLs and longer names. */
function InsideButton({ names, isBusy, onWatch }: InsideButtonProps) {
  const [first, ...others] = names;
  if (first === undefined) return null;
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => onWatch(names)}>
      Watch {others.length === 0 ? <bdi>{first}</bdi> : `the ${countNames(names.length)} in them`}
    </button>
  );
}

function insideOf({ problem }: Failure): readonly string[] {
  const inside = problem?.registrable_domain;
  return inside === undefined ? [] : [inside];
}

function toSettings(interval: number, text: string): Settings {
  const tags = splitTags(text);
  return { interval_minutes: interval, ...(tags.length > 0 && { tags }) };
}

/** Adds one name by a request of its own, which explains a refusal in full. Adds several by an import. */
async function addNames(
  client: Client,
  { names, settings, notifyCurrent }: Request,
  onProgress: (done: number) => void,
): Promise<Result> {
  const [domain = ''] = names;
  if (names.length > 1) {
    const inside = new Set<string>();
    const onLine = ({ registrable_domain: registrable }: LineOutcome, lines: number) => {
      if (registrable !== undefined) inside.add(registrable);
      onProgress(lines);
    };
    const imported = await importFile(client, { ...toJsonLines(names, settings), notifyCurrent }, onLine);
    if (!imported.ok) return { kind: 'failed', failure: imported.failure };
    return { kind: 'several', summary: imported.summary, inside: [...inside] };
  }
  const outcome = await call(addToWatchlist({ client, body: { domain, ...settings, notify_current: notifyCurrent } }));
  return outcome.ok ? { kind: 'added' } : { kind: 'failed', failure: outcome.failure };
}
