import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type ChannelDetails,
  type Delivery,
  listDeliveries,
  redeliver,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { useLiveReload, usePollWhile } from '../../api/live.js';
import { Badge } from '../../components/badge.js';
import { EmptyState, Loading } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import { DELIVERY_TONES, deliveryText, groupWaiting, outcomeText } from './delivery-words.js';
import { happeningText } from './event-words.js';
import { HealthNote } from './health-note.js';
import { DELIVERIES_ID, MonthStrip } from './month-strip.js';

const PER_PAGE = 20;

interface DeliveriesProps {
  readonly channel: ChannelDetails;
  /** Increases when something was sent. */
  readonly round: number;
  /** Called when there may have been another attempt since the channel was read. */
  readonly onAttempt: () => void;
  /** Shown beside the status. */
  readonly children: ComponentChildren;
}

export function Deliveries({ channel, round, onAttempt, children }: DeliveriesProps) {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listDeliveries({ client, signal, path: { id: channel.id }, query: { page, per_page: PER_PAGE } }),
    [channel.id, page],
  );
  /** The deliveries of the first page, which show how healthy the channel is. */
  const latest = useRef<readonly Delivery[] | null>(null);
  if (data && page === 1) latest.current = data.data;
  useEffect(() => {
    if (round > 0) reload();
  }, [round]);
  useLiveReload(reload, () => true);
  const isUnderWay = data?.data.some(({ state, attempts }) => state === 'pending' && attempts.length < 2) ?? false;
  const readAgain = () => {
    reload();
    onAttempt();
  };
  usePollWhile(isUnderWay, readAgain, data);
  return (
    <section class="stack-wide" aria-labelledby={DELIVERIES_ID}>
      <div class="card channel-status">
        {latest.current && <HealthNote channel={channel} latest={latest.current[0]} />}
        <MonthStrip channelId={channel.id} round={data} />
        {children}
      </div>
      <h2 id={DELIVERIES_ID} tabIndex={-1}>
        Deliveries
      </h2>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && data.meta.total === 0 && (
        <EmptyState title="Nothing was sent yet">
          <p>Send a test, or watch a simulated name such as lifecycle-60s.test for an event every few seconds.</p>
        </EmptyState>
      )}
      {data && data.data.length > 0 && (
        <div class="table-box" role="region" aria-label="Table of deliveries" tabIndex={0}>
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">What happened</th>
                <th scope="col">When</th>
                <th scope="col">State</th>
                <th scope="col">Attempts</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {groupWaiting(data.data).map(([delivery, ...others]) => (
                <DeliveryRows key={delivery.id} first={delivery} others={others} onSent={reload} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
    </section>
  );
}

interface DeliveryRowsProps extends Omit<DeliveryRowProps, 'delivery'> {
  readonly first: Delivery;
  /** Deliveries that wait for the same reason as the first. */
  readonly others: readonly Delivery[];
}

/** Shows deliveries that wait for the same reason as one row, which can be opened. */
function DeliveryRows({ first, others, onSent }: DeliveryRowsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <DeliveryRow delivery={first} onSent={onSent} />
      {others.length > 0 && (
        <tr>
          <td colSpan={6}>
            <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show one of them' : `${others.length} more wait in the same way: show them`}
            </button>
          </td>
        </tr>
      )}
      {isOpen && others.map((delivery) => <DeliveryRow key={delivery.id} delivery={delivery} onSent={onSent} />)}
    </>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onSent: () => void;
}

function DeliveryRow({ delivery, onSent }: DeliveryRowProps) {
  const { client, can } = useSession();
  const { isBusy, failure, run } = useAction();
  const { id, domain, domain_unicode: unicode, state, created_at: createdAt, attempts } = delivery;
  const happening = happeningText(delivery);
  const { text, at } = deliveryText(delivery);
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

/** Shows the last attempt in a line. On demand, shows all attempts with the receiver's responses. */
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
