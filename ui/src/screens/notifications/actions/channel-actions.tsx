import { useState } from 'preact/hooks';
import {
  changeNotificationChannel,
  type ChannelDetails,
  testNotificationChannel,
} from '../../../../../clients/typescript/src/index.js';
import { useAction } from '../../../api/use-action.js';
import { useSession } from '../../../api/session.js';
import { Icon } from '../../../components/icon.js';
import { ProblemNote } from '../../../components/problem-note.js';
import { useToasts } from '../../../components/toasts.js';
import { FiltersDialog } from './filters-dialog.js';
import { RemoveChannelDialog } from './remove-channel-dialog.js';
import { ReplayDialog } from './replay-dialog.js';
import { RotateSecretDialog } from './rotate-secret-dialog.js';

interface ChannelActionsProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  /** A delivery was made. */
  readonly onSent: () => void;
}

type Open = 'replay' | 'rotate' | 'filters' | 'remove';

/** What can be done with a channel; a key without the scope sees which one it lacks. */
export function ChannelActions({ channel, onChanged, onSent }: ChannelActionsProps) {
  const { client, can } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [open, setOpen] = useState<Open | null>(null);
  const { id, type, format, active } = channel;
  if (!can('notifications:write')) {
    return (
      <p class="muted" role="note">
        To test, change or replay it, a key needs the scope <code>notifications:write</code>.
      </p>
    );
  }
  const test = () =>
    run(testNotificationChannel({ client, path: { id } }), () => {
      show({ text: 'A test event is on its way.' });
      onSent();
    });
  const toggle = () =>
    run(changeNotificationChannel({ client, path: { id }, body: { active: !active } }), (changed) => {
      onChanged(changed);
      show({ text: changed.active ? 'The channel is on.' : 'The channel is off.' });
    });
  const close = () => setOpen(null);
  return (
    <>
      <div class="button-row" role="group" aria-label="Actions">
        <button type="button" class="button primary" disabled={isBusy} onClick={test}>
          <Icon name="send" /> Send a test
        </button>
        <button type="button" class="button" onClick={() => setOpen('replay')}>
          <Icon name="refresh" /> Replay…
        </button>
        {type === 'webhook' && format === null && (
          <button type="button" class="button" onClick={() => setOpen('rotate')}>
            <Icon name="key" /> Rotate the secret…
          </button>
        )}
        <button type="button" class="button" onClick={() => setOpen('filters')}>
          <Icon name="list" /> Which events…
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={toggle}>
          <Icon name={active ? 'pause' : 'play'} /> {active ? 'Turn off' : 'Turn on'}
        </button>
        <button type="button" class="button danger" onClick={() => setOpen('remove')}>
          <Icon name="trash" /> Remove…
        </button>
      </div>
      {failure && <ProblemNote failure={failure} />}
      {open === 'replay' && <ReplayDialog channelId={id} onSent={onSent} onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog channelId={id} onClose={close} />}
      {open === 'filters' && <FiltersDialog channel={channel} onChanged={onChanged} onClose={close} />}
      {open === 'remove' && <RemoveChannelDialog channelId={id} onClose={close} />}
    </>
  );
}
