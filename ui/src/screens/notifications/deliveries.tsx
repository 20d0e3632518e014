import { useEffect, useState } from 'preact/hooks';
import { type ChannelDetails, listDeliveries } from '../../../../clients/typescript/src/index.js';
import { useLiveReload } from '../../api/use-live-reload.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { DeliveryRow } from './delivery-row.js';
import { usePollWhile } from './use-poll-while.js';
import { HealthNote } from './health-note.js';

const PER_PAGE = 20;

interface DeliveriesProps {
  readonly channel: ChannelDetails;
  /** Grows when something was sent. */
  readonly round: number;
}

/** What was sent to a channel, newest first. */
export function Deliveries({ channel, round }: DeliveriesProps) {
  const { client } = useSession();
  const [page, setPage] = useState(1);
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listDeliveries({ client, signal, path: { id: channel.id }, query: { page, per_page: PER_PAGE } }),
    [channel.id, page],
  );
  useEffect(() => {
    if (round > 0) reload();
  }, [round]);
  useLiveReload(reload, () => true);
  const isUnderWay = data?.data.some(({ state, attempts }) => state === 'pending' && attempts.length < 2) ?? false;
  usePollWhile(isUnderWay, reload, data);
  return (
    <section class="stack-wide" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && page === 1 && <HealthNote channel={channel} latest={data.data[0]} />}
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
              {data.data.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} channel={channel} onSent={reload} />
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
