import { useState } from 'preact/hooks';
import {
  changeWatchlistEntry,
  type EntryDetails,
  type ExpandedEntry,
  getWatchlistHistory,
} from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import type { Failure } from '../../api/failure.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useToasts } from '../../components/toasts.js';
import { useNow } from '../../components/when.js';
import { ROUTES } from '../../routes.js';
import { EntrySignals } from '../watchlist/entry-signals.js';
import { useRemovals } from '../watchlist/removals.js';
import { CheckResult } from './check-result.js';
import { ChecksCard } from './checks-card.js';
import { DropWindowCard } from './drop-window-card.js';
import { EvidenceList } from './evidence-list.js';
import { HISTORY_PER_PAGE, HistoryCard } from './history-card.js';
import { toStages } from './life-stages.js';
import { LifeTimeline, UnknownLife } from './life-timeline.js';
import { NameActions } from './name-actions.js';
import { ChangesCard } from './record/changes-card.js';
import { RecordCard } from './record/record-card.js';
import { SettingsDialog } from './settings/settings-dialog.js';
import { ToldCard } from './told-card.js';
import { useCheckNow } from './use-check-now.js';

interface WatchedNameProps {
  readonly entry: ExpandedEntry;
  readonly details: EntryDetails;
  /** Counts up whenever the history may have grown. */
  readonly round: number;
  readonly failure: Failure | null;
  readonly onChanged: () => void;
  readonly onRemoved: () => void;
}

export function WatchedName({ entry, details, round, failure, onChanged, onRemoved }: WatchedNameProps) {
  const { client, can } = useSession();
  const { show } = useToasts();
  const removals = useRemovals();
  const now = useNow();
  const [isEditing, setEditing] = useState(false);
  const [page, setPage] = useState(1);
  const path = { id: entry.id };
  const history = useRequest(
    (signal) => getWatchlistHistory({ client, signal, path, query: { page, per_page: HISTORY_PER_PAGE } }),
    [entry.id, page, round],
  );
  const check = useCheckNow(entry.domain, onChanged);
  const pause = async () => {
    const outcome = await call(changeWatchlistEntry({ client, path, body: { paused: !details.paused } }));
    if (!outcome.ok) show({ tone: 'bad', text: `${outcome.failure.title}: ${outcome.failure.detail}` });
    onChanged();
  };
  const remove = () => {
    removals.remove([entry]);
    onRemoved();
  };
  const evidence = entry.evidence ?? [];
  const lifecycle = entry.lifecycle ?? null;
  const { domain_unicode: unicode } = details;
  const stages = toStages({ details, lifecycle, evidence, history: history.data?.data ?? [] }, now);
  const actions = (
    <NameActions
      isPaused={details.paused}
      isChecking={check.isChecking}
      onCheck={() => void check.run()}
      onPause={() => void pause()}
      onEdit={() => setEditing(true)}
      onRemove={remove}
    />
  );
  return (
    <Page title={unicode} heading={<bdi>{unicode}</bdi>} actions={actions}>
      <div class="name-status">
        <a href={ROUTES.watchlist}>Watchlist</a>
        {unicode !== entry.domain && <code>{entry.domain}</code>}
        <EntrySignals entry={details} lastCheckedAt={lifecycle && entry.last_checked_at} />
        {!entry.record && lifecycle && lifecycle.registry_statuses.length > 0 && (
          <span class="muted">
            The registry says: <bdi>{lifecycle.registry_statuses.join(', ')}</bdi>
          </span>
        )}
      </div>
      {failure && <ProblemNote failure={failure} onRetry={onChanged} />}
      {check.failure && <ProblemNote failure={check.failure} onRetry={() => void check.run()} />}
      {check.check && <CheckResult check={check.check} isWatched />}
      {lifecycle === null ? <UnknownLife /> : <LifeTimeline stages={stages} />}
      <div class="name-grid">
        <div class="name-column">
          <RecordCard entry={entry} details={details} onChanged={onChanged} />
          <ChecksCard entry={entry} details={details} />
          <DropWindowCard window={lifecycle?.drop_window ?? null} />
        </div>
        <div class="name-column">
          <HistoryCard history={history} page={page} onPage={setPage} />
          <ChangesCard entryId={entry.id} isAnswered={lifecycle !== null} round={round} />
          {can('notifications:read') && <ToldCard entryId={entry.id} round={round} />}
          <section class="card" aria-labelledby="evidence">
            <h2 id="evidence">Evidence of what is shown</h2>
            <EvidenceList evidence={evidence} />
          </section>
        </div>
      </div>
      {isEditing && <SettingsDialog entryId={entry.id} onClose={() => setEditing(false)} onSaved={onChanged} />}
    </Page>
  );
}
