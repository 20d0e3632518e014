import { useState } from 'preact/hooks';
import { getWatchlistChanges, type RecordChange } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Loading } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { EvidenceDetails } from './history-card.js';
import { CHANGE_TITLES, changedLines } from './record-words.js';

const PER_PAGE = 5;

interface ChangesCardProps {
  readonly entryId: string;
  readonly isAnswered: boolean;
  readonly round: number;
}

/**
 * Changes of the registration record, newest first.
 * @param isAnswered whether an answer of the registry was ever confirmed
 * @param round counts up whenever there may be more of them
 */
export function ChangesCard({ entryId, isAnswered, round }: ChangesCardProps) {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => getWatchlistChanges({ client, signal, path: { id: entryId }, query: { page, per_page: PER_PAGE } }),
    [entryId, page, round],
  );
  return (
    <section class="card history-card" aria-labelledby="record-changes">
      <div class="card-head">
        <h2 id="record-changes">Changes of the record</h2>
        <p class="muted">Confirmed only</p>
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && (
        <p class="muted">
          {isAnswered
            ? 'None seen since the name was added. Name servers, registrar, locks and DNSSEC are compared at each check, but not while the name is paused.'
            : 'None: the registry has not answered yet.'}
        </p>
      )}
      {data && data.meta.total > 0 && (
        <ol class="history">
          {data.data.map((change) => (
            <ChangeItem key={`${change.kind} ${change.confirmed_at}`} change={change} />
          ))}
        </ol>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
    </section>
  );
}

function ChangeItem({ change }: { change: RecordChange }) {
  const { kind, first_seen_at: first, confirmed_at: confirmed, evidence } = change;
  const { removed, added } = changedLines(change);
  const isSameMinute = first.slice(0, 16) === confirmed.slice(0, 16);
  return (
    <li class="history-item">
      <p class="history-head">
        <strong>{CHANGE_TITLES[kind]}</strong>
      </p>
      <ul class="change-lines">
        {removed.map((line) => (
          <ChangeLine key={`before ${line}`} sign="−" word="before" kind={kind} line={line} />
        ))}
        {added.map((line) => (
          <ChangeLine key={`now ${line}`} sign="+" word="since" kind={kind} line={line} />
        ))}
      </ul>
      <p class="muted">
        {isSameMinute ? 'Seen and confirmed' : 'First seen'} <When at={first} show="instant" />
        {!isSameMinute && (
          <>
            , confirmed <When at={confirmed} show="instant" />
          </>
        )}
      </p>
      <EvidenceDetails evidence={evidence} />
    </li>
  );
}

interface ChangeLineProps {
  readonly sign: '+' | '−';
  readonly word: string;
  readonly kind: RecordChange['kind'];
  readonly line: string;
}

function ChangeLine({ sign, word, kind, line }: ChangeLineProps) {
  return (
    <li class="change-line" data-sign={sign === '+' ? 'added' : 'removed'}>
      <span class="change-sign" aria-hidden="true">
        {sign}
      </span>
      <span class="visually-hidden">{word}: </span>
      {kind === 'last_transfer' ? <When at={line} show="instant" /> : <Text value={line} max={72} />}
    </li>
  );
}
