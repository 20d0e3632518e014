import { useState } from 'preact/hooks';
import { addToWatchlist, type AddWatchBody } from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { findPause, type Pause, wait } from '../../api/patience.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { countNames } from '../watchlist/for-each-entry.js';
import { importFile, type LineOutcome, toJsonLines } from '../watchlist/import-file.js';
import type { CheckedName, CheckRun } from './check-run.js';

interface Watching {
  readonly isBusy: boolean;
  readonly pause: Pause | null;
  readonly failure: Failure | null;
  readonly refusals: readonly Refusal[];
  readonly watch: (names: readonly CheckedName[]) => Promise<void>;
}

/** A reason why names were refused, and how many. */
interface Refusal {
  readonly message: string;
  readonly count: number;
}

const AT_REST = { isBusy: false, pause: null, failure: null, refusals: [] };

/** Adds checked names to the watchlist. Waits when a limit of the account is reached. */
export function useWatching(run: CheckRun, settings: Omit<AddWatchBody, 'domain'>): Watching {
  const { client } = useSession();
  const [state, setState] = useState<Omit<Watching, 'watch'>>(AT_REST);
  const watchOne = async ({ domain }: CheckedName): Promise<Omit<Watching, 'watch'>> => {
    const outcome = await call(addToWatchlist({ client, body: { domain, ...settings } }));
    if (outcome.ok) run.setEntry(domain, outcome.data.id);
    else if (outcome.failure.code === 'already_watched') run.setEntry(domain, outcome.failure.problem?.id ?? '');
    else return { ...AT_REST, failure: outcome.failure };
    return AT_REST;
  };
  const watchMany = async (names: readonly CheckedName[]): Promise<Omit<Watching, 'watch'>> => {
    const messages: string[] = [];
    const onLine = ({ line, outcome, id, message }: LineOutcome) => {
      const name = names[line - 1];
      if (name && outcome !== 'failed') run.setEntry(name.domain, id ?? '');
      else if (message !== undefined) messages.push(message);
    };
    const result = await importFile(
      client,
      toJsonLines(
        names.map(({ domain }) => domain),
        settings,
      ),
      onLine,
    );
    const refusals = [...Map.groupBy(messages, (message) => message)].map(([message, all]) => ({
      message,
      count: all.length,
    }));
    return { ...AT_REST, failure: result.ok ? null : result.failure, refusals };
  };
  const watch = async (names: readonly CheckedName[]) => {
    const [first, ...others] = names;
    if (!first) return;
    setState({ ...AT_REST, isBusy: true });
    for (;;) {
      const done = others.length === 0 ? await watchOne(first) : await watchMany(names);
      const pause = done.failure && findPause(done.failure);
      if (!pause) return setState(done);
      setState({ ...AT_REST, isBusy: true, pause });
      await wait(pause.ms, new AbortController().signal);
    }
  };
  return { ...state, watch };
}

export function WatchingNote({ watching: { pause, failure, refusals } }: { watching: Watching }) {
  return (
    <div role="status" class="stack">
      {pause && (
        <p class="check-pause">
          <Icon name="clock" /> {pause.reason}: it goes on by itself in {Math.ceil(pause.ms / 1_000)} s.
        </p>
      )}
      {failure && <ProblemNote failure={failure} />}
      {refusals.map(({ message, count }) => (
        <p key={message}>
          <Icon name="warning" /> Not watched, {countNames(count)}: <Text value={message} />
        </p>
      ))}
    </div>
  );
}
