import { useState } from 'preact/hooks';
import { replayDeliveries } from '../../../../../clients/typescript/src/index.js';
import { useAction } from '../../../api/use-action.js';
import { useSession } from '../../../api/session.js';
import { Dialog } from '../../../components/dialog.js';
import { ProblemNote } from '../../../components/problem-note.js';
import { useToasts } from '../../../components/toasts.js';

interface ReplayDialogProps {
  readonly channelId: string;
  readonly onSent: () => void;
  readonly onClose: () => void;
}

/** Sends the events of a range again: after a receiver was away, for example. */
export function ReplayDialog({ channelId, onSent, onClose }: ReplayDialogProps) {
  const { client } = useSession();
  const { show } = useToasts();
  const { isBusy, failure, run } = useAction();
  const [from, setFrom] = useState(() => localInput(new Date(Date.now() - 86_400_000)));
  const [to, setTo] = useState(() => localInput(new Date(Date.now() + 60_000))); // the field knows no seconds
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
          Sends what this channel got, or should have got, in a range of up to 14 days again. Repeats have the same
          event id, so that a receiver can ignore what it knows.
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

/** `2026-11-22T14:05` of the reader's time zone, as the input wants it. */
function localInput(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
