import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Client, listRegistries } from '../../../../clients/typescript/src/index.js';
import { call, type Failure, type Outcome } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { countNames } from '../watchlist/for-each-entry.js';
import { CheckResults } from './check-results.js';
import { USUAL_ENDINGS, useChecks } from './checks.js';
import { DoubtNote, useDoubt } from './doubt-note.js';
import { isWord, splitPasted, splitSuffixes, toNames } from './pasted-names.js';

/** More than a person can read. The command line has no such limit. */
const MOST_NAMES = 5_000;

/** Checks whether names can be registered. Does not add them to the watchlist. */
export function CheckScreen() {
  const { runs, close } = useChecks();
  return (
    <Page title="Is it free?" hasOwnFocus>
      <CheckForm />
      {runs.map((run) => (
        <CheckResults key={run.id} run={run} onClose={() => close(run)} />
      ))}
    </Page>
  );
}

function CheckForm() {
  const { check } = useChecks();
  const { query } = useLocation();
  const [text, setText] = useState(query['names'] ?? '');
  const [suffixes, setSuffixes] = useState(USUAL_ENDINGS.join(', '));
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    if (query['names'] !== undefined) setText(query['names']);
  }, [query['names']]);
  const pasted = splitPasted(text);
  const words = pasted.filter(isWord);
  const names = toNames(pasted, splitSuffixes(suffixes));
  const isTooMuch = names.length > MOST_NAMES;
  const doubt = useDoubt(text, setText);
  const canSubmit = names.length > 0 && !isTooMuch && doubt.asked === null;
  const submit = (event: Event) => {
    event.preventDefault();
    if (!canSubmit) return;
    check(names);
    setText('');
  };
  const submitByEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event);
  };
  return (
    <form class="card check-form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Names</span>
        <textarea
          ref={field}
          rows={3}
          spellcheck={false}
          autocapitalize="none"
          placeholder="example.com"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={submitByEnter}
        />
        <span class="field-hint">
          One, or many as you have them: names, web addresses, mail addresses, or a word to be tried under several
          endings.{' '}
          <span class="of-keyboard">
            Enter checks them, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a new line.
          </span>
        </span>
      </label>
      <DoubtNote doubt={doubt} />
      {words.length > 0 && <EndingsField words={words} value={suffixes} onValue={setSuffixes} />}
      {isTooMuch && (
        <p role="status">
          These are {countNames(names.length)}: at most {MOST_NAMES.toLocaleString('en')} are checked at a time.
        </p>
      )}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={!canSubmit}>
          <Icon name="search" /> {names.length > 1 ? `Check ${countNames(names.length)}` : 'Check'}
        </button>
      </div>
    </form>
  );
}

interface EndingsFieldProps {
  readonly words: readonly string[];
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Chooses the suffixes under which words are tried: common suffixes, typed ones, or all known. */
function EndingsField({ words, value, onValue }: EndingsFieldProps) {
  const { client } = useSession();
  const [failure, setFailure] = useState<Failure | null>(null);
  const fillAll = async () => {
    const outcome = await readTlds(client);
    setFailure(outcome.ok ? null : outcome.failure);
    if (outcome.ok) onValue(outcome.data.join(', '));
  };
  return (
    <div class="field">
      <label class="field">
        <span class="field-label">
          Endings for {words.length === 1 ? <bdi>{words[0]}</bdi> : `${words.length} words`}
        </span>
        <input
          spellcheck={false}
          autocapitalize="none"
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      </label>
      <span class="field-hint">
        <button type="button" class="link-button" onClick={() => void fillAll()}>
          All endings that this service knows
        </button>
      </span>
      {failure && <ProblemNote failure={failure} onRetry={() => void fillAll()} />}
    </div>
  );
}

const PER_PAGE = 100;

/** Reads all TLDs with a known registry, in alphabetical order. */
async function readTlds(client: Client): Promise<Outcome<readonly string[]>> {
  const tlds = new Set<string>();
  for (let page = 1; ; page += 1) {
    const outcome = await call(listRegistries({ client, query: { page, per_page: PER_PAGE } }));
    if (!outcome.ok) return outcome;
    for (const registry of outcome.data.data) for (const { tld } of registry.tlds) tlds.add(tld);
    if (page * PER_PAGE >= outcome.data.meta.total) return { ok: true, data: [...tlds].sort() };
  }
}
