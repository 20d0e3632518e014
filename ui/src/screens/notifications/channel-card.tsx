import { type Channel, getNotificationChannel, listDeliveries } from '../../../../clients/typescript/src/index.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { channelPath } from '../../routes.js';
import { ChannelFilters } from './channel-filters.js';
import { HealthNote } from './health-note.js';
import { eventTypeLabel } from './event-types.js';
import { kindLabel } from './channel-kinds.js';

/** A channel of the list, with how it does. */
export function ChannelCard({ channel: { id, type, target } }: { channel: Channel }) {
  const { client } = useSession();
  const details = useRequest((signal) => getNotificationChannel({ client, signal, path: { id } }), [id]);
  const latest = useRequest((signal) => listDeliveries({ client, signal, path: { id }, query: { per_page: 1 } }), [id]);
  const delivery = latest.data?.data[0];
  const failure = details.failure ?? latest.failure;
  return (
    <article class="card channel-card">
      <h2>
        <a href={channelPath(id)}>
          <ShortText value={target} max={44} />
        </a>
      </h2>
      <p class="muted">{kindLabel({ type, format: details.data?.format ?? null })}</p>
      {failure && <ProblemNote failure={failure} />}
      {details.data && latest.data && <HealthNote channel={details.data} latest={delivery} />}
      {details.data && <ChannelFilters channel={details.data} />}
      {delivery && (
        <p class="muted">
          Latest event: {eventTypeLabel(delivery.event_type)}, <When at={delivery.created_at} />
        </p>
      )}
    </article>
  );
}
