import { useState } from 'preact/hooks';
import { listNotificationChannels } from '../../../../clients/typescript/src/index.js';
import { useLiveReload } from '../../api/use-live-reload.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Dialog } from '../../components/dialog.js';
import { EmptyState } from '../../components/empty-state.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { AddChannelForm } from './add-channel-form.js';
import { ChannelCard } from './channel-card.js';

/** Each card asks for its own details, so that a long list is shown a portion at a time. */
const PORTION = 20;

/** Where the account's events go, and how each channel does. */
export function NotificationsScreen() {
  const { client, can } = useSession();
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState(PORTION);
  const { data, failure, isLoading, reload } = useRequest((signal) => listNotificationChannels({ client, signal }), []);
  useLiveReload(reload, (type) => type === 'channel.disabled');
  const add = (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      <Icon name="plus" /> Add a channel
    </button>
  );
  const channels = data?.data ?? [];
  return (
    <Page title="Notifications" {...(can('notifications:write') ? { actions: add } : {})}>
      <p class="muted">
        Every confirmed change is one event, and goes to each channel below whose filters take it: at least once, and
        again until it arrives. Beyond 20 mails in an hour, or five messages in a minute to a chat, the rest comes as
        one digest.
      </p>
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
            <ChannelCard channel={channel} />
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
