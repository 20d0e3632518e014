import { useState } from 'preact/hooks';
import { rotateNotificationSecret } from '../../../../../clients/typescript/src/index.js';
import { useAction } from '../../../api/use-action.js';
import { useSession } from '../../../api/session.js';
import { Dialog } from '../../../components/dialog.js';
import { ProblemNote } from '../../../components/problem-note.js';
import { ShownOnce } from '../../../components/shown-once.js';

const GRACE_SECONDS = [
  { seconds: 86_400, label: 'A day (both work meanwhile)' },
  { seconds: 604_800, label: 'A week' },
  { seconds: 3_600, label: 'An hour' },
  { seconds: 0, label: 'Not at all: it has leaked' },
];

/** Gives a webhook a new signing secret; the old one signs too for a while, so that receivers can change over. */
export function RotateSecretDialog({ channelId, onClose }: { channelId: string; onClose: () => void }) {
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
