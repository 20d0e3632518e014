import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import {
  changeNotificationChannel,
  type ChannelDetails,
  removeNotificationChannel,
  replayDeliveries,
  rotateNotificationSecret,
} from '../../../../clients/typescript/src/index.js';
import { useExtensions } from '../../api/extensions.js';
import { useSession } from '../../api/session.js';
import { useAction } from '../../api/use-request.js';
import { ConfirmDialog, Dialog } from '../../components/dialog.js';
import { Icon } from '../../components/icon.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { useToasts } from '../../components/toasts.js';
import { ROUTES } from '../../routes.js';
import { CredentialField } from './credential-field.js';
import { useChannelTest } from './channel-test.js';
import { FiltersDialog } from './event-filters.js';
import { LabelField } from './label-field.js';
import { SummaryDialog } from './summary-dialog.js';

interface ChannelActionsProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  /** Called after a delivery was created. */
  readonly onSent: () => void;
}

type Open = 'label' | 'summary' | 'replay' | 'rotate' | 'credential' | 'filters' | 'remove';

/** Shows the actions for a channel. A key without the scope sees which scope is missing. */
export function ChannelActions({ channel, onChanged, onSent }: ChannelActionsProps) {
  const { client, can } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [open, setOpen] = useState<Open | null>(null);
  const { id, type, format, active } = channel;
  const { extensions } = useExtensions();
  const ofExtension = extensions.flatMap(({ channel_types: types }) => types).find((one) => one.type === type);
  const isSigned = (type === 'webhook' && format === null) || ofExtension?.secret === 'signing';
  if (!can('notifications:write')) {
    return (
      <p class="muted" role="note">
        To test, change or replay it, a key needs the scope <code>notifications:write</code>.
      </p>
    );
  }
  const toggle = () =>
    run(changeNotificationChannel({ client, path: { id }, body: { active: !active } }), (changed) => {
      onChanged(changed);
      show({ text: changed.active ? 'The channel is on.' : 'The channel is off.' });
    });
  const close = () => setOpen(null);
  return (
    <>
      <div class="button-row" role="group" aria-label="Actions">
        <button type="button" class="button" onClick={() => setOpen('replay')}>
          <Icon name="refresh" /> Replay…
        </button>
        {isSigned && (
          <button type="button" class="button" onClick={() => setOpen('rotate')}>
            <Icon name="key" /> Rotate the secret…
          </button>
        )}
        {ofExtension?.secret === 'account' && (
          <button type="button" class="button" onClick={() => setOpen('credential')}>
            <Icon name="key" /> Replace the credential…
          </button>
        )}
        <button type="button" class="button" onClick={() => setOpen('label')}>
          Label…
        </button>
        <button type="button" class="button" onClick={() => setOpen('summary')}>
          Summary…
        </button>
        <button type="button" class="button" onClick={() => setOpen('filters')}>
          <Icon name="list" /> Which events…
        </button>
        {channel.reason !== 'unconfirmed' && (
          <button type="button" class="button" disabled={isBusy} onClick={toggle}>
            <Icon name={active ? 'pause' : 'play'} /> {active ? 'Turn off' : 'Turn on'}
          </button>
        )}
        <button type="button" class="button danger" onClick={() => setOpen('remove')}>
          <Icon name="trash" /> Remove…
        </button>
      </div>
      {failure && <ProblemNote failure={failure} />}
      {open === 'replay' && <ReplayDialog channelId={id} onSent={onSent} onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog channelId={id} onClose={close} />}
      {open === 'credential' && <ReplaceCredentialDialog channelId={id} onClose={close} />}
      {open === 'summary' && <SummaryDialog channel={channel} onChanged={onChanged} onClose={close} />}
      {open === 'label' && <LabelDialog channel={channel} onChanged={onChanged} onClose={close} />}
      {open === 'filters' && <FiltersDialog channel={channel} onChanged={onChanged} onClose={close} />}
      {open === 'remove' && <RemoveChannelDialog channelId={id} onClose={close} />}
    </>
  );
}

/** Shows the button for a test. The test waits while the channel is off or unconfirmed. */
export function ChannelTest({ channel: { id }, onSent }: Pick<ChannelActionsProps, 'channel' | 'onSent'>) {
  const { can } = useSession();
  const { isBusy, failure, send } = useChannelTest(id, onSent);
  if (!can('notifications:write')) return null;
  return (
    <>
      <button type="button" class="button primary" disabled={isBusy} onClick={send}>
        <Icon name="send" /> Send a test
      </button>
      {failure && <ProblemNote failure={failure} />}
    </>
  );
}

interface LabelDialogProps {
  readonly channel: ChannelDetails;
  readonly onChanged: (channel: ChannelDetails) => void;
  readonly onClose: () => void;
}

function LabelDialog({ channel: { id, label }, onChanged, onClose }: LabelDialogProps) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [text, setText] = useState(label ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    const body = { label: text.trim() === '' ? null : text.trim() };
    run(changeNotificationChannel({ client, path: { id }, body }), (changed) => {
      onChanged(changed);
      onClose();
    });
  };
  return (
    <Dialog title="Label of this channel" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <LabelField value={text} onValue={setText} />
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ReplayDialogProps {
  readonly channelId: string;
  readonly onSent: () => void;
  readonly onClose: () => void;
}

/** Sends the events of a time range again, for example after a receiver was down. */
function ReplayDialog({ channelId, onSent, onClose }: ReplayDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - 86_400_000)));
  const [to, setTo] = useState(() => localInput(new Date(Date.now() + 60_000))); // the field has no seconds
  const submit = (event: Event) => {
    event.preventDefault();
    const body = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    run(replayDeliveries({ client, path: { id: channelId }, body }), ({ count }) => {
      show({ text: `${count.toLocaleString('en')} ${count === 1 ? 'event is' : 'events are'} sent again.` });
      onSent();
      onClose();
    });
  };
  return (
    <Dialog title="Replay events" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>
          Sends what this channel got, or should have got, in a range of days again. Repeats have the same event id, so
          that a receiver can ignore what it knows.
        </p>
        <label class="field">
          <span class="field-label">From</span>
          <input type="datetime-local" required value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span class="field-label">To</span>
          <input type="datetime-local" required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Replay
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns a time such as `2026-11-22T14:05` in the reader's time zone, as the input needs it. */
function localInput(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

const GRACE_SECONDS = [
  { seconds: 86_400, label: 'A day (both work meanwhile)' },
  { seconds: 604_800, label: 'A week' },
  { seconds: 3_600, label: 'An hour' },
  { seconds: 0, label: 'Not at all: it has leaked' },
];

/** Gives a webhook a new signing secret. For a while the old secret signs too, so that receivers can switch. */
function RotateSecretDialog({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [graceSeconds, setGraceSeconds] = useState(86_400);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = (event: Event) => {
    event.preventDefault();
    const body = { grace_seconds: graceSeconds };
    run(rotateNotificationSecret({ client, path: { id: channelId }, body }), (answer) => setSecret(answer.secret));
  };
  return (
    <Dialog title="Rotate the signing secret" onClose={onClose}>
      {secret !== null ? (
        <ShownOnce label="New signing secret" value={secret} hint="Give it to your receiver." onDone={onClose} />
      ) : (
        <form class="form" onSubmit={rotate}>
          <label class="field">
            <span class="field-label">How long the old secret signs too</span>
            <select value={graceSeconds} onChange={(event) => setGraceSeconds(Number(event.currentTarget.value))}>
              {GRACE_SECONDS.map(({ seconds, label }) => (
                <option key={seconds} value={seconds}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          {failure && <ProblemNote failure={failure} />}
          <div class="button-row">
            <button type="submit" class="button primary" disabled={isBusy}>
              Make a new secret
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** Replaces the credential of an extension's channel, since it is never shown. */
function ReplaceCredentialDialog({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [credential, setCredential] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    run(changeNotificationChannel({ client, path: { id: channelId }, body: { credential } }), () => {
      show({ text: 'The next message is sent with the new credential.' });
      onClose();
    });
  };
  return (
    <Dialog title="Replace the credential" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <CredentialField value={credential} onValue={setCredential} />
        {failure && <ProblemNote failure={failure} />}
        <div class="button-row">
          <button type="submit" class="button primary" disabled={isBusy}>
            Replace it
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function RemoveChannelDialog({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  const { client } = useSession();
  const { route } = useLocation();
  const { show } = useToasts();
  const action = useAction();
  const remove = () =>
    action.run(removeNotificationChannel({ client, path: { id: channelId } }), () => {
      show({ text: 'The channel was removed.' });
      route(ROUTES.notifications);
    });
  return (
    <ConfirmDialog
      title="Remove this channel?"
      confirmLabel="Remove"
      action={action}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Nothing is sent to it any more, and what was sent is no longer shown. To pause it, turn it off instead.</p>
    </ConfirmDialog>
  );
}
