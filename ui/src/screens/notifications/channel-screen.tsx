import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { type ChannelDetails, getNotificationChannel } from '../../../../clients/typescript/src/index.js';
import { useLiveReload } from '../../api/live.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText, Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { ROUTES } from '../../routes.js';
import { ChannelActions, ChannelTest } from './channel-actions.js';
import { ChannelFilters } from './event-filters.js';
import { kindLabel } from './channel-kinds.js';
import { Deliveries } from './deliveries.js';
import { summaryText } from './summary-words.js';

/** Shows one channel: its filters, health, deliveries and actions. */
export function ChannelScreen() {
  const { params } = useRoute();
  const id = params['id'] ?? '';
  const { client } = useSession();
  const { data, failure, isLoading, reload, replace } = useRequest(
    (signal) => getNotificationChannel({ client, signal, path: { id } }),
    [id],
  );
  useLiveReload(reload, () => true);
  const [round, setRound] = useState(0);
  const sent = () => setRound(round + 1);
  const kind = data ? kindLabel(data) : 'Channel';
  const label = data?.label ?? null;
  return (
    <Page title={label ?? kind} heading={label === null ? kind : <ShortText value={label} max={60} />}>
      <p>
        <a href={ROUTES.notifications}>All channels</a>
      </p>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && (
        <>
          <Deliveries channel={data} round={round} onAttempt={reload}>
            <ChannelTest channel={data} onSent={sent} />
          </Deliveries>
          <section class="card" aria-labelledby="edit">
            <h2 id="edit">Edit</h2>
            <Facts channel={data} />
            <ChannelActions channel={data} onChanged={replace} onSent={sent} />
          </section>
        </>
      )}
    </Page>
  );
}

function Facts({ channel }: { channel: ChannelDetails }) {
  const {
    id,
    type,
    format,
    label,
    target,
    headers,
    summary,
    next_summary_at: nextSummaryAt,
    created_at: createdAt,
    disabled_at: disabledAt,
  } = channel;
  return (
    <dl class="facts">
      {label !== null && (
        <>
          <dt>Kind</dt>
          <dd>{kindLabel({ type, format })}</dd>
        </>
      )}
      <dt>Target</dt>
      <dd>
        <Text value={target} max={200} />
      </dd>
      <dt>Events</dt>
      <dd>
        <ChannelFilters channel={channel} />
      </dd>
      {headers.length > 0 && (
        <>
          <dt>Additional headers</dt>
          <dd>
            {headers.map((name) => (
              <span key={name} class="tag">
                <ShortText value={name} />
              </span>
            ))}
          </dd>
        </>
      )}
      {summary !== null && (
        <>
          <dt>Summary</dt>
          <dd>
            {summaryText(summary)}
            {nextSummaryAt !== null && (
              <>
                , next <When at={nextSummaryAt} />
              </>
            )}
          </dd>
        </>
      )}
      <dt>Added</dt>
      <dd>
        <When at={createdAt} show="instant" />
      </dd>
      {disabledAt !== null && (
        <>
          <dt>Off since</dt>
          <dd>
            <When at={disabledAt} show="instant" />
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <code>{id}</code>
      </dd>
    </dl>
  );
}
