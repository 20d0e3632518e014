import {
  type Channel,
  getNotificationChannel,
  listDeliveries,
  testNotificationChannel,
} from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useLiveReload } from '../../api/use-live-reload.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { channelPath } from '../../routes.js';
import { ChannelFilters } from './channel-filters.js';
import { HealthNote } from './health-note.js';
import { happeningText } from './happening.js';
import { kindLabel } from './channel-kinds.js';
import { usePollWhile } from './use-poll-while.js';

/** A channel of the list, with how it does. */
export function ChannelCard({ channel: { id, type, target } }: { channel: Channel }) {
  const { client, can } = useSession();
  const details = useRequest((signal) => getNotificationChannel({ client, signal, path: { id } }), [id]);
  const latest = useRequest((signal) => listDeliveries({ client, signal, path: { id }, query: { per_page: 1 } }), [id]);
  const delivery = latest.data?.data[0];
  const test = useChannelTest(id, latest.reload);
  const failure = details.failure ?? latest.failure ?? test.failure;
  useLiveReload(latest.reload, () => true);
  usePollWhile(delivery?.state === 'pending' && delivery.attempts.length < 2, latest.reload, latest.data);
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
          Latest event: {delivery.domain_unicode !== null && <bdi>{delivery.domain_unicode}: </bdi>}
          {happeningText(delivery)}, <When at={delivery.created_at} isPast />
        </p>
      )}
      {can('notifications:write') && (
        <button
          type="button"
          class="button small channel-test"
          disabled={test.isBusy}
          aria-label={`Send a test to ${target.slice(0, 100)}`}
          onClick={test.send}
        >
          <Icon name="send" /> Send a test
        </button>
      )}
    </article>
  );
}

function useChannelTest(id: string, onSent: () => void) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const send = () =>
    run(testNotificationChannel({ client, path: { id } }), () => {
      show({ text: 'A test event is on its way.' });
      onSent();
    });
  return { isBusy, failure, send };
}
