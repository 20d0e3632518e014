import { useMemo } from 'preact/hooks';
import { addToWatchlist } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { useLiveReload } from '../../api/live.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { useNow } from '../../components/when.js';
import { AgendaCalendar } from './agenda-calendar.js';
import { AgendaList } from './agenda-list.js';
import { AGENDA_DAYS, agendaSpan, dayOf } from './agenda.js';
import { readAgenda } from './read-agenda.js';

/** What expires, what has to be renewed and what may drop in the next 90 days. */
export function AgendaScreen() {
  const { client } = useSession();
  const today = dayOf(useNow(60_000));
  const span = useMemo(() => agendaSpan(new Date(today)), [today]);
  const { data, failure, isLoading, reload } = useRequest(
    async (signal) => ({ data: await readAgenda(client, span, signal) }),
    [today],
  );
  useLiveReload(reload, (type) => type.startsWith('watchlist.'));
  return (
    <Page title="Agenda">
      <p class="muted">
        What expires, what you have set to be renewed, and what may be deleted in the next {AGENDA_DAYS} days. Days are
        in UTC, as registries count them.
      </p>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && data.items.length + data.undated.length === 0 && <EmptyAgenda onAdded={reload} />}
      {data && data.items.length > 0 && <AgendaCalendar items={data.items} span={span} />}
      {data && <AgendaList agenda={data} today={today} />}
    </Page>
  );
}

const SANDBOX_NAME = 'expiring.test';

/** Says what belongs here, and offers a sandbox name that expires today. */
function EmptyAgenda({ onAdded }: { onAdded: () => void }) {
  const { client, can } = useSession();
  const { isBusy, failure, run } = useAction();
  const add = () => run(addToWatchlist({ client, body: { domain: SANDBOX_NAME } }), onAdded);
  return (
    <EmptyState title="Nothing is coming up">
      <p>
        Names that you watch appear here before they expire, and while their registry deletes them: with the day on
        which they may become free.
      </p>
      {failure && <ProblemNote failure={failure} />}
      {can('watchlist:write') && (
        <p>
          <button type="button" class="button" disabled={isBusy} onClick={add}>
            Watch {SANDBOX_NAME}
          </button>{' '}
          <span class="muted">A simulated name that expires today.</span>
        </p>
      )}
    </EmptyState>
  );
}
