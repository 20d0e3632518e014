import { useState } from 'preact/hooks';
import {
  type Channel,
  type ChannelDetails,
  listDeliveries,
  listNotificationChannels,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { useLiveReload, usePollWhile } from '../../api/live.js';
import { Dialog } from '../../components/dialog.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';
import { channelPath } from '../../routes.js';
import { AddChannelForm } from './add-channel-form.js';
import { BrowserCard } from './browser-card.js';
import { kindLabel } from './channel-kinds.js';
import { useChannelTest } from './channel-test.js';
import { happeningText } from './event-words.js';
import { ChannelFilters } from './event-filters.js';
import { HealthNote } from './health-note.js';

/** The number of channels that are shown at first. Each card loads its own details. */
const PORTION = 20;

export function NotificationsScreen() {
  const { client, can } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState(PORTION);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listNotificationChannels({ client, signal, query: { expand: 'details' } }),
    [],
  );
  useLiveReload(reload, () => true);
  const add = (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      <Icon name="plus" /> Add a channel
    </button>
  );
  const channels = data?.data ?? [];
  return (
    <Page title="Notifications" {...(can('notifications:write') ? { actions: add } : {})}>
      <p class="muted">Where changes are sent. Failed deliveries are retried.</p>
      <BrowserCard />
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && channels.length === 0 && (
        <EmptyState title="No channel yet">
          <p>
            Changes are in the watchlist and in the API either way. Add a channel to get them at once: by email, by a
            signed webhook, or in Slack, Discord, Teams, Google Chat, Telegram, ntfy, PagerDuty and what Apprise
            reaches.
          </p>
          {!can('notifications:write') && (
            <p class="muted">
              To add one, a key needs the scope <code>notifications:write</code>.
            </p>
          )}
        </EmptyState>
      )}
      <ul class="card-list">
        {channels.slice(0, shown).map((channel) => (
          <li key={channel.id}>
            {channel.details && <ChannelCard channel={{ ...channel, ...channel.details }} onAttempt={reload} />}
          </li>
        ))}
      </ul>
      {channels.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PORTION)}>
          Show more of {channels.length.toLocaleString('en')}
        </button>
      )}
      {isAdding && (
        <Dialog title="Add a channel" onClose={() => setAdding(false)}>
          <AddChannelForm onAdded={reload} onDone={() => setAdding(false)} />
        </Dialog>
      )}
    </Page>
  );
}

interface ChannelCardProps {
  readonly channel: Channel & ChannelDetails;
  /** Called when there may have been another attempt since the list was read. */
  readonly onAttempt: () => void;
}

/** Shows a channel of the list with its health. */
function ChannelCard({ channel, onAttempt }: ChannelCardProps) {
  const { id, target, label } = channel;
  const { client, can } = useSession();
  const latest = useRequest((signal) => listDeliveries({ client, signal, path: { id }, query: { per_page: 1 } }), [id]);
  const delivery = latest.data?.data[0];
  const test = useChannelTest(id, latest.reload);
  const failure = latest.failure ?? test.failure;
  useLiveReload(latest.reload, () => true);
  const readAgain = () => {
    latest.reload();
    onAttempt();
  };
  usePollWhile(delivery?.state === 'pending' && delivery.attempts.length < 2, readAgain, latest.data);
  return (
    <article class="card channel-card">
      <h2>
        <a href={channelPath(id)}>
          <ShortText value={label ?? target} max={44} />
        </a>
      </h2>
      <p class="muted">
        {kindLabel(channel)}
        {label !== null && (
          <>
            {' · '}
            <ShortText value={target} max={44} />
          </>
        )}
      </p>
      {failure && <ProblemNote failure={failure} />}
      {latest.data && <HealthNote channel={channel} latest={delivery} />}
      <ChannelFilters channel={channel} />
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
          aria-label={`Send a test to ${(label ?? target).slice(0, 100)}`}
          onClick={test.send}
        >
          <Icon name="send" /> Send a test
        </button>
      )}
    </article>
  );
}
