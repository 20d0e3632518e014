import { type ChannelDetails, type Delivery, redeliver } from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { Badge } from '../../components/badge.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import { DELIVERY_TONES, deliveryText, outcomeText } from './channel-words.js';
import { happeningText } from './happening.js';

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly channel: ChannelDetails;
  readonly onSent: () => void;
}

export function DeliveryRow({ delivery, channel, onSent }: DeliveryRowProps) {
  const { client, can } = useSession();
  const { isBusy, failure, run } = useAction();
  const { id, domain, domain_unicode: unicode, state, created_at: createdAt, attempts } = delivery;
  const happening = happeningText(delivery);
  const { text, at } = deliveryText(delivery, channel);
  const canRedeliver = can('notifications:write') && state !== 'pending';
  return (
    <tr>
      <th scope="row">
        {domain === null ? (
          <span class="muted">No name</span>
        ) : (
          <a href={namePath(domain)}>
            <bdi>{unicode ?? domain}</bdi>
          </a>
        )}
      </th>
      <td data-label="What happened">{happening}</td>
      <td data-label="When">
        <When at={createdAt} />
      </td>
      <td data-label="State">
        <Badge tone={DELIVERY_TONES[state]}>{text}</Badge> {at !== null && <When at={at} />}
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
            aria-label={`Redeliver: ${domain === null ? happening : `${domain}, ${happening}`}`}
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
