import { useState } from 'preact/hooks';
import {
  changeWatchlistEntry,
  type DropWindow,
  type EntryDetails,
  type ExpandedEntry,
} from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { Page } from '../../components/page.js';
import type { Tone } from '../../components/phase-words.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { useNow, When } from '../../components/when.js';
import { ROUTES } from '../../routes.js';
import { CheckResult, useCheckNow } from './check-now.js';
import { failureReason } from './check-words.js';
import { ChecksCard } from './checks-card.js';
import { EvidenceDetails } from './history-card.js';
import { toStages } from './life-stages.js';
import { LifeTimeline } from './life-timeline.js';
import { LookAlikesCard } from './look-alikes-card.js';
import { RecordCard } from './record-card.js';
import { SettingsDialog } from './settings-dialog.js';
import { StoryCard, useStory } from './story-card.js';
import { verdictOf } from './verdict.js';
import { EntrySignals } from '../watchlist/entry-signals.js';
import { useRemovals } from '../watchlist/removals.js';

interface WatchedNameProps {
  readonly entry: ExpandedEntry;
  readonly details: EntryDetails;
  /** Increases whenever the history may have grown. */
  readonly round: number;
  readonly failure: Failure | null;
  readonly onChanged: () => void;
  readonly onRemoved: () => void;
}

export function WatchedName({ entry, details, round, failure, onChanged, onRemoved }: WatchedNameProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const removals = useRemovals();
  const now = useNow();
  const [isEditing, setEditing] = useState(false);
  const path = { id: entry.id };
  const story = useStory(entry.id, round);
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
  const chapters = story.story.data?.chapters ?? [];
  const history = chapters.flatMap((chapter) => (chapter.kind === 'status' ? [chapter.interval] : []));
  const stages = toStages({ details, lifecycle, evidence, history }, now);
  const drop = lifecycle?.drop_window ?? null;
  const lastDate = drop?.latest ?? drop?.likely ?? drop?.earliest ?? details.expires_at;
  const recordChangedAt = story.story.data?.recordChangedAt ?? null;
  const verdict = verdictOf({ details, lifecycle, recordChangedAt }, now);
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
      <p class="verdict" data-tone={verdict.tone}>
        {verdict.text}
      </p>
      {failure && <ProblemNote failure={failure} onRetry={onChanged} />}
      {details.failing && (
        <FailingNote failing={details.failing} isPaused={details.paused} isAnswered={lifecycle !== null} />
      )}
      {check.failure && <ProblemNote failure={check.failure} onRetry={() => void check.run()} />}
      {check.check && <CheckResult check={check.check} isWatched />}
      {lifecycle !== null && <LifeTimeline stages={stages} end={lastDate === null ? null : new Date(lastDate)} />}
      <div class="name-grid">
        <div class="name-column">
          <RecordCard entry={entry} details={details} onChanged={onChanged} />
          <ChecksCard entry={entry} details={details} />
          {drop && <DropWindowCard window={drop} />}
        </div>
        <div class="name-column">
          <StoryCard {...story} />
          {evidence.length > 0 && (
            <section class="card" aria-labelledby="evidence">
              <h2 id="evidence">Evidence of what is shown</h2>
              <EvidenceDetails evidence={evidence} />
            </section>
          )}
        </div>
      </div>
      <LookAlikesCard domain={entry.domain} />
      {isEditing && <SettingsDialog entryId={entry.id} onClose={() => setEditing(false)} onSaved={onChanged} />}
    </Page>
  );
}

interface FailingNoteProps {
  readonly failing: NonNullable<EntryDetails['failing']>;
  readonly isPaused: boolean;
  /** Whether an answer of the registry was ever confirmed. */
  readonly isAnswered: boolean;
}

/** Explains why checks of the name fail. Comes first, since other facts may be outdated. */
function FailingNote({ failing, isPaused, isAnswered }: FailingNoteProps) {
  const { code, since, failures } = failing;
  return (
    <div class="problem" role="note" aria-label="Check failing">
      <Icon name="warning" />
      <div class="problem-body">
        <p class="problem-title">{failureReason(code)}</p>
        <p>
          {failures === 1 ? 'A check has failed' : `${failures} checks in a row have failed`} since{' '}
          <When at={since} show="instant" />.{' '}
          {isAnswered
            ? 'You see the last answer.'
            : 'The registry has not answered yet, so nothing is known of this name.'}
          {isPaused && ' The name is paused: it is checked again when it is resumed.'}
        </p>
      </div>
    </div>
  );
}

interface NameActionsProps {
  readonly isPaused: boolean;
  readonly isChecking: boolean;
  readonly onCheck: () => void;
  readonly onPause: () => void;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function NameActions({ isPaused, isChecking, onCheck, onPause, onEdit, onRemove }: NameActionsProps) {
  const { can } = useSession();
  return (
    <>
      {can('watchlist:write') && (
        <>
          <button type="button" class="button" onClick={onEdit}>
            Settings
          </button>
          <button type="button" class="button" onClick={onPause}>
            <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Resume' : 'Pause'}
          </button>
          <button type="button" class="button danger" onClick={onRemove}>
            <Icon name="trash" /> Remove
          </button>
        </>
      )}
      {can('domains:read') && (
        <button type="button" class="button primary" disabled={isChecking} onClick={onCheck}>
          <Icon name="refresh" /> {isChecking ? 'Checking…' : 'Check now'}
        </button>
      )}
    </>
  );
}

const CONFIDENCE: Record<DropWindow['confidence'], { readonly label: string; readonly tone: Tone }> = {
  high: { label: 'High confidence', tone: 'good' },
  medium: { label: 'Medium confidence', tone: 'calm' },
  low: { label: 'Low confidence', tone: 'warn' },
};

function DropWindowCard({ window }: { window: DropWindow }) {
  return (
    <section class="card" aria-labelledby="drop-window">
      <div class="card-head">
        <h2 id="drop-window">Drop window</h2>
        <Badge tone={CONFIDENCE[window.confidence].tone}>{CONFIDENCE[window.confidence].label}</Badge>
      </div>
      <dl class="facts">
        <dt>Earliest</dt>
        <dd>
          <When at={window.earliest} show="instant" /> (<When at={window.earliest} />)
        </dd>
        <dt>Likely</dt>
        <dd>
          <When at={window.likely} show="instant" otherwise="not known" />
        </dd>
        <dt>Latest</dt>
        <dd>
          <When at={window.latest} show="instant" otherwise="not known" />
        </dd>
        <dt>Rule</dt>
        <dd>
          <Text value={window.basis} max={240} />
        </dd>
      </dl>
    </section>
  );
}
