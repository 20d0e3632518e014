import type { Evidence, History, Interval } from '../../../../clients/typescript/src/index.js';
import type { Requested } from '../../api/use-request.js';
import { PhaseBadge } from '../../components/badge.js';
import { phaseLabel } from '../../components/phase-words.js';
import { Loading } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';

const MOVES: Record<Exclude<NonNullable<Interval['move']>, 'phase_changed'>, string> = {
  discovered: 'First answer of the registry',
  dropped: 'Dropped: it can be registered',
  caught: 'Registered by someone',
  withdrawn: 'No longer available, and not registered',
  deletion_started: 'Its deletion has begun',
  restored: 'Restored from deletion',
  expiring: 'About to expire',
  renewed: 'Renewed',
  reclassified: 'The same facts were given another status',
};

export const HISTORY_PER_PAGE = 20;

interface HistoryCardProps {
  readonly history: Requested<History>;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Lists the confirmed states of the name, newest first, each with its evidence. */
export function HistoryCard({ history, page, onPage }: HistoryCardProps) {
  const { data, failure, isLoading, reload } = history;
  return (
    <section class="card history-card" aria-labelledby="history">
      <div class="card-head">
        <h2 id="history">History</h2>
        <p class="muted">Confirmed only</p>
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && <p class="muted">Nothing has been confirmed yet.</p>}
      {data && data.meta.total > 0 && (
        <ol class="history">
          {data.data.map((interval, index) => (
            <HistoryItem
              key={interval.change_seq + interval.first_seen_at}
              interval={interval}
              before={data.data[index + 1]?.phase ?? null}
            />
          ))}
        </ol>
      )}
      {data && data.meta.total > HISTORY_PER_PAGE && (
        <Pager page={page} perPage={HISTORY_PER_PAGE} total={data.meta.total} onPage={onPage} />
      )}
    </section>
  );
}

/** Shows a confirmed status. @param before the phase before; null if there was none, or it is on another page */
export function HistoryItem({ interval, before }: { interval: Interval; before: Interval['phase'] | null }) {
  const { phase, first_seen_at: first, last_seen_at: last, expires_at: expiresAt, evidence } = interval;
  const isSameMinute = first.slice(0, 16) === last.slice(0, 16);
  return (
    <li class="history-item">
      <p class="history-head">
        <PhaseBadge phase={phase} /> <span>{moveText(interval)}</span>
        {before !== null && before !== phase && <span class="muted">before: {phaseLabel(before)}</span>}
      </p>
      <p class="muted">
        <When at={first} show="second" />
        {!isSameMinute && (
          <>
            {' '}
            until <When at={last} show="second" />
          </>
        )}
        {expiresAt !== null && (
          <>
            {' '}
            · expires <When at={expiresAt} show="day" />
          </>
        )}
      </p>
      <EvidenceDetails evidence={evidence} />
    </li>
  );
}

function moveText({ move, phase }: Interval): string {
  if (move === null) return 'Added';
  return move === 'phase_changed' ? `Moved to ${phaseLabel(phase).toLowerCase()}` : MOVES[move];
}

const OUTCOMES: Readonly<Record<Evidence['outcome'], string>> = {
  found: 'has the name',
  absent: 'does not have the name',
  reserved: 'reserves the name',
  inconclusive: 'gave no clear answer',
};

export function EvidenceDetails({ evidence }: { evidence: readonly Evidence[] }) {
  return (
    <details>
      <summary>Evidence ({evidence.length})</summary>
      <EvidenceList evidence={evidence} />
    </details>
  );
}

function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p class="muted">No evidence is kept.</p>;
  return (
    <ul class="evidence-list">
      {evidence.map(({ source, server, outcome, rule, http_status: status, observed_at: at, excerpt }) => (
        <li key={`${source} ${server} ${rule} ${at}`} class="evidence">
          <p>
            <strong>{source.toUpperCase()}</strong> <bdi>{server}</bdi> {OUTCOMES[outcome]}
          </p>
          <p class="muted">
            <When at={at} show="second" /> · rule <code>{rule}</code>
            {status !== null && <> · HTTP {status}</>}
          </p>
          {excerpt !== '' && (
            <blockquote class="excerpt">
              <Text value={excerpt} max={240} />
            </blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}
