import { type ChannelDetails, type Delivery, redeliver } from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { Badge, type Tone } from '../../components/badge.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { eventTypeLabel } from './event-types.js';
import { deliveryText, outcomeText } from './channel-words.js';

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly channel: ChannelDetails;
  readonly onSent: () => void;
}

const TONES: Record<Delivery['state'], Tone> = {
  ...{ pending: 'note', delivered: 'good', failed: 'bad', paused: 'warn', disabled: 'calm' },
};

export function DeliveryRow({ delivery, channel, onSent }: DeliveryRowProps) {
  const { client, can } = useSession();
  const { isBusy, failure, run } = useAction();
  const { id, event_type: eventType, state, created_at: createdAt, attempts } = delivery;
  const { text, at } = deliveryText(delivery, channel);
  const canRedeliver = can('notifications:write') && state !== 'pending';
  return (
    <tr>
      <td>{eventTypeLabel(eventType)}</td>
      <td data-label="When">
        <When at={createdAt} />
      </td>
      <td data-label="State">
        <Badge tone={TONES[state]}>{text}</Badge> {at !== null && <When at={at} />}
      </td>
      <td data-label="Attempts">
        {attempts.length === 0 ? <span class="muted">None</span> : <Attempts delivery={delivery} />}
      </td>
      <td>
        {canRedeliver && (
          <button
            type="button"
            class="button small"
            disabled={isBusy}
            aria-label={`Redeliver: ${eventTypeLabel(eventType)}`}
            onClick={() => run(redeliver({ client, path: { id } }), onSent)}
          >
            Redeliver
          </button>
        )}
        {failure && <ProblemNote failure={failure} />}
      </td>
    </tr>
  );
}

/** The last one in a line; all of them, with what the receiver answered, on demand. */
function Attempts({ delivery: { attempts, event_id: eventId } }: { delivery: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return (
    <details class="attempts">
      <summary>
        {outcomeText(last)}
        {attempts.length > 1 && <span class="muted"> · {attempts.length} attempts</span>}
      </summary>
      <p>
        Event <code>{eventId}</code>
      </p>
      <ol>
        {[...attempts].reverse().map((attempt) => (
          <li key={attempt.number} value={attempt.number}>
            {outcomeText(attempt)}, <When at={attempt.started_at} show="instant" />
            {attempt.duration_ms !== null && `, ${attempt.duration_ms.toLocaleString('en')} ms`}
            {attempt.response_excerpt !== null && attempt.response_excerpt !== '' && (
              <p class="excerpt">
                <Text value={attempt.response_excerpt} max={300} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
