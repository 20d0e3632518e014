import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import type { Outcome } from '../../api/call.js';
import { useExtensions } from '../../api/extensions.js';
import { saveFile } from '../../api/save-file.js';
import { useSession } from '../../api/session.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { ROUTES, SERVICE_URL } from '../../routes.js';
import { describeSize, toFileName, toShownText } from './answer-text.js';
import { findLink, type FoundLink } from './link-paths.js';
import { type Answer, LIMIT_SECONDS, MOST_BYTES, readAnswer } from './read-answer.js';

export function LinkScreen() {
  const { path } = useLocation();
  const { extensions, failure, isLoading, reload } = useExtensions();
  const found = findLink(extensions, path);
  if (found !== null) return <LinkedAnswer key={path} found={found} />;
  return (
    <Page title="Extensions">
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {isLoading && <Loading />}
      {!isLoading && failure === null && (
        <EmptyState title="There is no such link">
          <p>No extension has it, or your key lacks its scope.</p>
          <p>
            <a href={ROUTES.extensions}>All extensions</a>
          </p>
        </EmptyState>
      )}
    </Page>
  );
}

function LinkedAnswer({ found: { extension, link } }: { found: FoundLink }) {
  const { outcome, isLoading, reload } = useAnswer(link.path);
  const answer = outcome?.ok === true ? outcome.data : null;
  const actions = (
    <>
      <button type="button" class="button" disabled={isLoading} onClick={reload}>
        <Icon name="refresh" /> Refresh
      </button>
      <button
        type="button"
        class="button"
        disabled={answer === null || answer.cut !== null}
        onClick={() => answer && saveFile(answer.file, toFileName(link.path, answer))}
      >
        <Icon name="download" /> Save as a file
      </button>
    </>
  );
  return (
    <Page title={link.label.slice(0, 60)} heading={<ShortText value={link.label} max={60} />} actions={actions}>
      <p>
        <a href={ROUTES.extensions}>All extensions</a>
      </p>
      <p class="muted">
        <code>GET {link.path}</code> of <ShortText value={extension.name} max={60} />
        {link.public && (
          <>
            , which needs no key:{' '}
            <a href={SERVICE_URL + link.path} target="_blank" rel="noreferrer">
              open it in a new tab
            </a>
          </>
        )}
      </p>
      {isLoading && <Loading />}
      {outcome?.ok === false && <ProblemNote failure={outcome.failure} onRetry={reload} />}
      {answer && <AnswerBody answer={answer} />}
    </Page>
  );
}

interface Asked {
  /** null until the first response arrives. The last response stays while the next one loads. */
  readonly outcome: Outcome<Answer> | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

function useAnswer(path: string): Asked {
  const { get } = useSession();
  const [state, setState] = useState<Omit<Asked, 'reload'>>({ outcome: null, isLoading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    readAnswer((signal) => get(path, signal), {
      left: left.signal,
      late: AbortSignal.timeout(LIMIT_SECONDS * 1_000),
    }).then(
      (outcome) => setState({ outcome, isLoading: false }),
      () => undefined, // the screen was left
    );
    return () => left.abort();
  }, [path, round]);
  return { ...state, reload: () => setRound((before) => before + 1) };
}

const CUTS: Readonly<Record<NonNullable<Answer['cut']>, string>> = {
  'too-long': `It is longer than ${describeSize(MOST_BYTES)}: the rest was not read. Ask for it with a client of your own.`,
  'too-late': `It did not end within ${LIMIT_SECONDS} seconds: this is what came. Ask for it with a client of your own.`,
  broken: 'The connection broke: this part arrived.',
};

/** Shows the response as plain text, whatever its media type. */
function AnswerBody({ answer: { status, mediaType, file, text, cut } }: { answer: Answer }) {
  const shown = text === null ? null : toShownText(text, mediaType);
  return (
    <section class="card" aria-label="Answer">
      {status >= 400 && (
        <p class="answer-note" role="alert">
          <Icon name="warning" /> The extension refused it with {status}. What it said:
        </p>
      )}
      {cut !== null && (
        <p class="answer-note" role="alert">
          <Icon name="warning" /> {CUTS[cut]}
        </p>
      )}
      <p class="muted">
        {mediaType === '' ? 'Of no known type' : <ShortText value={mediaType} max={60} />}, {describeSize(file.size)}
        {shown?.isCut === true && '; only the beginning is shown'}
      </p>
      {shown === null && file.size > 0 && <p>This is no text: save it as a file to open it.</p>}
      {shown !== null && shown.text !== '' && (
        <div class="answer" role="region" aria-label="Text of the answer" tabIndex={0}>
          <pre>
            <bdi class="foreign-text">{shown.text}</bdi>
          </pre>
        </div>
      )}
      {file.size === 0 && <p>The answer is empty.</p>}
    </section>
  );
}
