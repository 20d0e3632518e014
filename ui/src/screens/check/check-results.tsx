import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../../api/session.js';
import { Badge, PhaseBadge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { phaseLabel } from '../../components/phase-words.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText, Text } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import { EvidenceDetails } from '../name/history-card.js';
import { countNames } from '../watchlist/for-each-entry.js';
import type { CheckedName, CheckRun } from './check-run.js';
import { type FilterKey, FILTERS, isWatchable, problemText } from './check-words.js';
import { CheckGrid } from './check-grid.js';
import { toGrid } from './grid.js';
import { LookAlikesButton } from './look-alikes-button.js';
import { USUAL_WATCH, WatchSettings, toWatchSettings } from './watch-settings.js';
import { useWatching, WatchingNote } from './watching.js';

const SHOWN_AT_FIRST = 100;

interface CheckResultsProps {
  readonly run: CheckRun;
  readonly onClose: () => void;
}

/** Shows the results of one check as they arrive. */
export function CheckResults({ run, onClose }: CheckResultsProps) {
  const { can } = useSession();
  const [filter, setFilter] = useState<FilterKey>('all');
  const [most, setMost] = useState(SHOWN_AT_FIRST);
  const heading = useRef<HTMLHeadingElement>(null);
  const [form, setForm] = useState(USUAL_WATCH);
  const watching = useWatching(run, toWatchSettings(form));
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), []);
  const { names } = run;
  const found = names.filter(FILTERS.find(({ key }) => key === filter)?.has ?? (() => true));
  const grid = toGrid(found);
  const watchable = found.filter(isWatchable);
  const unknown = names.filter(({ answer }) => answer.kind === 'unknown');
  const askAgain = () => void run.askAgain(unknown.map(({ domain }) => domain));
  return (
    <section class="card check-results" aria-labelledby={run.id}>
      <div class="card-head">
        <h2 ref={heading} id={run.id}>
          <ShortText value={run.title} max={80} />
        </h2>
        <button type="button" class="icon-button" aria-label={`Close the results of ${run.title}`} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <RunNote run={run} />
      {names.length > 1 && (
        <div class="filter-chips" role="group" aria-label="Show">
          {FILTERS.map(({ key, label, has }) => {
            const count = names.filter(has).length;
            return count === 0 && key !== filter ? null : (
              <button key={key} type="button" class="chip" aria-pressed={filter === key} onClick={() => setFilter(key)}>
                {label} {count.toLocaleString('en')}
              </button>
            );
          })}
          {can('watchlist:write') && watchable.length > 1 && (
            <button
              type="button"
              class="button small"
              disabled={watching.isBusy}
              onClick={() => void watching.watch(watchable)}
            >
              <Icon name="plus" /> Watch {filter === 'all' ? 'all' : 'these'} {countNames(watchable.length)}
            </button>
          )}
          {unknown.length > 1 && !run.isAtWork && (
            <button type="button" class="button small" onClick={askAgain}>
              <Icon name="refresh" /> Ask again about {countNames(unknown.length)}
            </button>
          )}
        </div>
      )}
      {can('watchlist:write') && watchable.length > 0 && <WatchSettings form={form} onChange={setForm} />}
      <FreeNames names={found} />
      <WatchingNote watching={watching} />
      {grid && <CheckGrid grid={grid} />}
      <ul class="check-list">
        {found.slice(0, most).map((name) => (
          <NameRow
            key={name.domain}
            name={name}
            isWatchingBusy={watching.isBusy}
            onWatch={() => void watching.watch([name])}
            onAskAgain={() => void run.askAgain([name.domain])}
          />
        ))}
      </ul>
      {run.left > 0 && (
        <button type="button" class="button" onClick={() => void run.startRest()}>
          Check the other {countNames(run.left)}
        </button>
      )}
      {found.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + SHOWN_AT_FIRST)}>
          Show more of {countNames(found.length)}
        </button>
      )}
    </section>
  );
}

/** Copies the free names, one on each line. */
function FreeNames({ names }: { names: readonly CheckedName[] }) {
  const { show } = useToasts();
  const free = names.filter(({ answer }) => answer.kind === 'answered' && answer.check.available);
  if (free.length < 2) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(free.map(({ shown }) => shown).join('\n'));
    show({ text: `${countNames(free.length)} copied` });
  };
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      <Icon name="copy" /> Copy the {free.length.toLocaleString('en')} available
    </button>
  );
}

/** Shows the progress of a check, and why it waits. */
function RunNote({ run }: { run: CheckRun }) {
  const { names, state } = run;
  const waiting = names.filter(({ answer }) => answer.kind === 'waiting').length;
  const done = names.length - waiting;
  const goOn = () => void run.start();
  const isLong = names.length > 1 && waiting > 0;
  return (
    <>
      {isLong && run.isAtWork && (
        <div class="check-progress">
          <progress aria-label="Names that have an answer" max={names.length} value={done} />
          <p class="muted">
            {done.toLocaleString('en')} of {countNames(names.length)}
          </p>
          <button type="button" class="button small" onClick={() => run.stop()}>
            Stop
          </button>
        </div>
      )}
      <div role="status">
        {state.kind === 'pausing' && (
          <p class="check-pause">
            <Icon name="clock" /> {state.pause.reason}: it goes on by itself in {Math.ceil(state.pause.ms / 1_000)} s.
          </p>
        )}
        {state.kind === 'stopped' && waiting > 0 && (
          <p>
            Stopped: {countNames(waiting)} left.{' '}
            <button type="button" class="button small" onClick={goOn}>
              Go on
            </button>
          </p>
        )}
        {state.kind === 'done' && names.length > 1 && <p class="visually-hidden">{countNames(names.length)} checked</p>}
      </div>
      {state.kind === 'interrupted' && (
        <ProblemNote failure={state.failure} onRetry={goOn} retryLabel={`Go on with ${countNames(waiting)}`} />
      )}
    </>
  );
}

interface NameRowProps {
  readonly name: CheckedName;
  readonly isWatchingBusy: boolean;
  readonly onWatch: () => void;
  readonly onAskAgain: () => void;
}

function NameRow({ name, isWatchingBusy, onWatch, onAskAgain }: NameRowProps) {
  const { can } = useSession();
  const { domain, shown, foundIn, kind, entryId, answer } = name;
  const ascii = answer.kind === 'answered' ? answer.check.domain : domain;
  return (
    <li class="check-row">
      <div class="check-name">
        <strong>
          <ShortText value={shown} max={80} />
        </strong>
        {ascii !== shown && ascii.startsWith('xn--') && <span class="ascii-name muted">{ascii}</span>}
        {kind !== null && <span class="muted">{KINDS[kind]}</span>}
        {foundIn !== null && (
          <span class="muted">
            in <ShortText value={foundIn} max={60} />
          </span>
        )}
      </div>
      <div class="check-answer">
        <AnswerView name={name} />
      </div>
      <RowEvidence answer={answer} />
      <div class="check-actions">
        {answer.kind === 'unknown' && (
          <button type="button" class="button small" aria-label={`Ask again about ${shown}`} onClick={onAskAgain}>
            Ask again
          </button>
        )}
        {answer.kind === 'answered' && kind === null && (
          <LookAlikesButton domain={domain} label={`Look-alikes of ${shown}`}>
            Look-alikes
          </LookAlikesButton>
        )}
        {entryId !== null && (
          <a class="button small" href={namePath(ascii)} aria-label={`Watched: ${shown}`}>
            <Icon name="check" /> Watched
          </a>
        )}
        {isWatchable(name) && can('watchlist:write') && (
          <button
            type="button"
            class="button small"
            aria-label={`Watch ${shown}`}
            disabled={isWatchingBusy}
            onClick={onWatch}
          >
            <Icon name="plus" /> Watch
          </button>
        )}
      </div>
    </li>
  );
}

const KINDS: Readonly<Record<NonNullable<CheckedName['kind']>, string>> = {
  typo: 'typing mistake',
  homoglyph: 'looks alike',
  tld: 'other ending',
};

/** Shows an answer. For look-alikes, a registered name is what people look for. */
function AnswerView({ name }: { name: CheckedName }) {
  const { answer } = name;
  switch (answer.kind) {
    case 'waiting':
      return <span class="muted">waiting for its registry…</span>;
    case 'refused':
      return (
        <p>
          <Badge tone="note">Not a name to register</Badge> <Text value={problemText(answer.problem)} max={200} />
        </p>
      );
    case 'unknown':
      return (
        <>
          <p>
            <Badge tone="warn">No answer</Badge> <Text value={problemText(answer.problem)} max={200} />{' '}
            {answer.askedAgainAt === null ? (
              'Whether it is free is not known.'
            ) : (
              <>
                It is asked again <When at={new Date(answer.askedAgainAt).toISOString()} />.
              </>
            )}
          </p>
        </>
      );
    case 'answered': {
      const { check } = answer;
      const { phase = check.status, registered_at: since = null, registrable } = check.lifecycle ?? {};
      return (
        <>
          <p>
            {name.kind !== null && !check.available ? (
              <Badge tone="bad">{phaseLabel(phase)}</Badge>
            ) : (
              <PhaseBadge phase={phase} />
            )}{' '}
            {registrable === 'premium' && <Badge tone="note">At a price of the registry’s own</Badge>}{' '}
            <span class="muted">
              {since !== null && (
                <>
                  registered <When at={since} show="day" /> ·{' '}
                </>
              )}
              {check.expires_at !== null && (
                <>
                  expires <When at={check.expires_at} show="day" /> ·{' '}
                </>
              )}
              the registry said so <When at={check.checked_at} isPast />
            </span>
          </p>
        </>
      );
    }
  }
}

/** Shows the servers' responses on demand. */
function RowEvidence({ answer }: Pick<CheckedName, 'answer'>) {
  const evidence =
    answer.kind === 'answered'
      ? answer.check.evidence
      : answer.kind === 'unknown'
        ? answer.problem.evidence
        : undefined;
  return evidence ? <EvidenceDetails evidence={evidence} /> : null;
}
