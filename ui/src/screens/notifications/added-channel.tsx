import type { OpenedChannel } from '../../../../clients/typescript/src/index.js';
import { ShownOnce } from '../../components/shown-once.js';
import { Text } from '../../components/text.js';
import { channelPath } from '../../routes.js';
import { kindLabel } from './channel-kinds.js';

/** What comes next after a channel was added; its signing secret is shown here only. */
export function AddedChannel({ channel, onDone }: { channel: OpenedChannel; onDone: () => void }) {
  const { id, type, target, active, secret } = channel;
  return (
    <div class="form" role="status">
      <p>
        <strong>{kindLabel(channel)}</strong> to <Text value={target} max={120} /> was added.
      </p>
      {secret !== undefined && (
        <ShownOnce
          label="Signing secret"
          value={secret}
          hint="Your receiver verifies with it that an event is from this service."
          onDone={onDone}
        />
      )}
      {!active && type === 'email' && (
        <p>It starts when the address is confirmed: its mailbox gets a link, if this service has a mail relay.</p>
      )}
      <p>
        <a href={channelPath(id)} onClick={onDone}>
          Open the channel
        </a>{' '}
        to send a test to it.
      </p>
    </div>
  );
}
