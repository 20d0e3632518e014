import { useState } from 'preact/hooks';
import { addToWatchlist, type Client, type Import } from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useToasts } from '../../components/toasts.js';
import { importFile, namesOf, toJsonLines } from './import-file.js';
import { ImportProgress, ImportSummary } from './import-dialog.js';
import { IntervalField } from './interval-field.js';

interface AddDialogProps {
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

interface Settings {
  readonly interval_minutes: number;
  readonly tags?: string[];
}

type Result =
  | { readonly kind: 'added' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'several'; readonly summary: Import };

/** Watches one name, or many that are pasted. */
export function AddDialog({ onClose, onAdded }: AddDialogProps) {
  const { client, me } = useSession();
  const { show } = useToasts();
  const [text, setText] = useState('');
  const [tags, setTags] = useState('');
  const [interval, setInterval] = useState(me.limits.default_interval);
  const [done, setDone] = useState<number | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const names = namesOf(text);

  const add = async (event: Event) => {
    event.preventDefault();
    setDone(0);
    const found = await addNames(client, names, toSettings(interval, tags), setDone);
    setDone(null);
    setResult(found);
    if (found.kind !== 'failed') onAdded();
    const isClear = found.kind === 'added' || (found.kind === 'several' && found.summary.failed === 0);
    if (!isClear) return;
    show({
      text:
        found.kind === 'several' ? (
          `${names.length} names are watched`
        ) : (
          <>
            Watching <bdi>{names[0]}</bdi>
          </>
        ),
    });
    onClose();
  };
  if (result?.kind === 'several')
    return (
      <Dialog title="Add names" onClose={onClose}>
        <div class="stack">
          <ImportSummary summary={result.summary} />
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Add names" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void add(event)}>
        {result?.kind === 'failed' && <ProblemNote failure={result.failure} />}
        <label class="field">
          <span class="field-label">Names</span>
          <textarea
            rows={5}
            spellcheck={false}
            placeholder={'example.com\nexample.org'}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <span class="field-hint">One, or many: one per line, or separated by commas or spaces.</span>
        </label>
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
        {done !== null && names.length > 1 && <ImportProgress done={done} total={names.length} />}
        <button type="submit" class="button primary" disabled={names.length === 0 || done !== null}>
          {names.length > 1 ? `Watch ${names.length.toLocaleString('en')} names` : 'Watch'}
        </button>
      </form>
    </Dialog>
  );
}

function toSettings(interval: number, text: string): Settings {
  const tags = text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return { interval_minutes: interval, ...(tags.length > 0 && { tags }) };
}

/** A single name is refused with the problem of its own field; of many, each line has its reason. */
async function addNames(
  client: Client,
  names: readonly string[],
  settings: Settings,
  onProgress: (done: number) => void,
): Promise<Result> {
  const [domain = ''] = names;
  if (names.length > 1) {
    const imported = await importFile(client, toJsonLines(names, settings), onProgress);
    return imported.ok ? { kind: 'several', summary: imported.summary } : { kind: 'failed', failure: imported.failure };
  }
  const outcome = await call(addToWatchlist({ client, body: { domain, ...settings } }));
  return outcome.ok ? { kind: 'added' } : { kind: 'failed', failure: outcome.failure };
}
