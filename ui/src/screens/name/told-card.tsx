import { useState } from 'preact/hooks';
import {
  type Channel,
  type Delivery,
  listEntryDeliveries,
  listNotificationChannels,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { Loading } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { channelPath } from '../../routes.js';
import { DELIVERY_STATES, DELIVERY_TONES, outcomeText } from '../notifications/delivery-words.js';
import { happeningText } from '../notifications/event-words.js';

const PER_PAGE = 10;

/**
 * Which channels were told what of the name, newest first.
 * @param round counts up whenever there may be more of it
 */
export function ToldCard({ entryId, round }: { entryId: string; round: number }) {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listEntryDeliveries({ client, signal, path: { id: entryId }, query: { page, per_page: PER_PAGE } }),
    [entryId, page, round],
  );
  const channels = useRequest(
    (signal) => listNotificationChannels({ client, signal, query: { expand: 'details' } }),
    [],
  );
  return (
    <section class="card history-card" aria-labelledby="told">
      <div class="card-head">
        <h2 id="told">Who was told</h2>
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && (
        <p class="muted">Nobody yet: nothing happened to the name that a notification channel takes.</p>
      )}
      {data && data.meta.total > 0 && (
        <ol class="history">
          {data.data.map((delivery) => (
            <ToldItem
              key={delivery.id}
              delivery={delivery}
              channel={channels.data?.data.find(({ id }) => id === delivery.channel_id)}
            />
          ))}
        </ol>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
    </section>
  );
}

function ToldItem({ delivery, channel }: { delivery: Delivery; channel: Channel | undefined }) {
  const { channel_id: channelId, state, created_at: createdAt, attempts } = delivery;
  const last = attempts.at(-1);
  return (
    <li class="history-item">
      <p class="history-head">
        <Badge tone={DELIVERY_TONES[state]}>{DELIVERY_STATES[state]}</Badge>{' '}
        <a href={channelPath(channelId)}>
          {channel === undefined ? (
            'A channel'
          ) : (
            <ShortText value={channel.details?.label ?? channel.target} max={44} />
          )}
        </a>
      </p>
      <p>{happeningText(delivery)}</p>
      <p class="muted">
        <When at={createdAt} show="instant" />
        {last !== undefined && state !== 'delivered' && ` · ${outcomeText(last)}`}
      </p>
    </li>
  );
}
