import { useState } from 'preact/hooks';
import {
  type Client,
  type Delivery,
  getWatchlistChanges,
  getWatchlistHistory,
  listEntryDeliveries,
  listNotificationChannels,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { type Requested, useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { channelPath } from '../../routes.js';
import { DELIVERY_STATES, DELIVERY_TONES, outcomeText } from '../notifications/delivery-words.js';
import { happeningText } from '../notifications/event-words.js';
import { ChangeItem } from './change-item.js';
import { HistoryItem } from './history-card.js';
import { type Chapter, readNewest, toStory } from './story.js';

const STEP = 20;
export const STORY_ID = 'story';

interface Story {
  readonly chapters: readonly Chapter[];
  readonly hasMore: boolean;
  /** When the record last changed; null if never since the name was added. */
  readonly recordChangedAt: string | null;
}

interface StoryRequest {
  readonly story: Requested<Story>;
  readonly showOlder: () => void;
}

/**
 * Reads the events of a name, and the channels that were notified.
 * @param round increases whenever there may be new events
 */
export function useStory(entryId: string, round: number): StoryRequest {
  const { client, can } = useSession();
  const [wanted, setWanted] = useState(STEP);
  const maySeeChannels = can('notifications:read');
  const story = useRequest(
    async (signal) => ({ data: await readStory(client, signal, { entryId, wanted, maySeeChannels }) }),
    [entryId, wanted, round],
  );
  return { story, showOlder: () => setWanted(wanted + STEP) };
}

interface Wanted {
  readonly entryId: string;
  readonly wanted: number;
  readonly maySeeChannels: boolean;
}

/** Reads the newest items of each list, which together contain the newest items overall. */
async function readStory(
  client: Client,
  signal: AbortSignal,
  { entryId, wanted, maySeeChannels }: Wanted,
): Promise<Story> {
  const options = { client, signal, throwOnError: true, path: { id: entryId } } as const;
  const [intervals, changes, deliveries] = await Promise.all([
    readNewest(wanted + 1, async (page, perPage) => {
      return (await getWatchlistHistory({ ...options, query: { page, per_page: perPage } })).data;
    }),
    readNewest(wanted, async (page, perPage) => {
      return (await getWatchlistChanges({ ...options, query: { page, per_page: perPage } })).data;
    }),
    maySeeChannels
      ? readNewest(wanted, async (page, perPage) => {
          return (await listEntryDeliveries({ ...options, query: { page, per_page: perPage } })).data;
        })
      : { rows: [], total: 0 },
  ]);
  const chapters = toStory({ intervals: intervals.rows, changes: changes.rows, deliveries: deliveries.rows });
  const hasUnread = [intervals, changes, deliveries].some(({ rows, total }) => rows.length < total);
  return {
    chapters: chapters.slice(0, wanted),
    hasMore: hasUnread || chapters.length > wanted,
    recordChangedAt: changes.rows[0]?.confirmed_at ?? null,
  };
}

/** Shows status changes, record changes and messages of a name in one list, newest first. */
export function StoryCard({ story: { data, failure, isLoading, reload }, showOlder }: StoryRequest) {
  const { client, can } = useSession();
  const channels = useRequest(
    async (signal) =>
      can('notifications:read')
        ? listNotificationChannels({ client, signal, query: { expand: 'details' } })
        : { data: { data: [] } },
    [],
  );
  const nameOf = (channelId: string) => {
    const channel = channels.data?.data.find(({ id }) => id === channelId);
    return channel && (channel.details?.label ?? channel.target);
  };
  return (
    <section class="card history-card" aria-labelledby={STORY_ID}>
      <div class="card-head">
        <h2 id={STORY_ID} tabIndex={-1}>
          Timeline
        </h2>
        <p class="muted">Confirmed changes, and who was told</p>
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.chapters.length === 0 && <p class="muted">Nothing has been confirmed yet.</p>}
      {data && data.chapters.length > 0 && (
        <ol class="history">
          {data.chapters.map((chapter) => (
            <ChapterItem key={keyOf(chapter)} chapter={chapter} nameOf={nameOf} />
          ))}
        </ol>
      )}
      {data?.hasMore && (
        <button type="button" class="button small" onClick={showOlder}>
          Show older
        </button>
      )}
    </section>
  );
}

function keyOf(chapter: Chapter): string {
  switch (chapter.kind) {
    case 'status':
      return `${chapter.interval.change_seq} ${chapter.at}`;
    case 'record':
      return `${chapter.change.kind} ${chapter.at}`;
    case 'told':
      return chapter.deliveries[0].event_id;
  }
}

type NameOf = (channelId: string) => string | undefined;

function ChapterItem({ chapter, nameOf }: { chapter: Chapter; nameOf: NameOf }) {
  switch (chapter.kind) {
    case 'status':
      return <HistoryItem interval={chapter.interval} before={chapter.before} />;
    case 'record':
      return <ChangeItem change={chapter.change} />;
    case 'told':
      return <ToldItem deliveries={chapter.deliveries} nameOf={nameOf} />;
  }
}

function ToldItem({
  deliveries,
  nameOf,
}: {
  deliveries: Extract<Chapter, { kind: 'told' }>['deliveries'];
  nameOf: NameOf;
}) {
  const [first] = deliveries;
  return (
    <li class="history-item">
      <p>
        <span class="muted">Told:</span> {happeningText(first)}{' '}
        <span class="muted">
          <When at={first.created_at} show="instant" />
        </span>
      </p>
      <ul class="plain-list">
        {deliveries.map((delivery) => (
          <ToldChannel key={delivery.id} delivery={delivery} name={nameOf(delivery.channel_id) ?? 'A channel'} />
        ))}
      </ul>
    </li>
  );
}

function ToldChannel({
  delivery: { channel_id: channelId, state, attempts },
  name,
}: {
  delivery: Delivery;
  name: string;
}) {
  const last = attempts.at(-1);
  return (
    <li class="history-head">
      <Badge tone={DELIVERY_TONES[state]}>{DELIVERY_STATES[state]}</Badge>{' '}
      <a href={channelPath(channelId)}>
        <ShortText value={name} max={44} />
      </a>
      {last !== undefined && state !== 'delivered' && <span class="muted">{outcomeText(last)}</span>}
    </li>
  );
}
