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
import { AGENDA_DAYS, agendaSpan, dayOf, type Span } from './agenda.js';
import { CalendarCard } from './calendar-card.js';
import { type Agenda, readAgenda } from './read-agenda.js';
import { UrgentNames } from './urgent-names.js';

/** Shows expiries, renewals and possible drops of the next 90 days. */
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
        What has to be renewed or restored today, what expires, what you have set to be renewed, and what may be deleted
        in the next {AGENDA_DAYS} days. Days are in UTC, as registries count them.
      </p>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && isEmpty(data) && <EmptyAgenda onAdded={reload} />}
      {data && <Coming agenda={data} span={span} today={today} />}
      <CalendarCard />
    </Page>
  );
}

function isEmpty({ grace, redemption, items, undated }: Agenda): boolean {
  return grace.length + redemption.length + items.length + undated.length === 0;
}

/** Shows urgent names, the list and the calendar. The list is first if the current month has no events. */
function Coming({ agenda, span, today }: { agenda: Agenda; span: Span; today: string }) {
  const { grace, redemption, items } = agenda;
  const list = <AgendaList agenda={agenda} today={today} />;
  const calendar = items.length > 0 && <AgendaCalendar items={items} span={span} />;
  const isListFirst = !items.some(({ days }) => (days[0] ?? '').startsWith(today.slice(0, 7)));
  return (
    <>
      <UrgentNames id="grace" title="In grace: renew today" about="Their expiry has passed." names={grace} />
      <UrgentNames
        id="redemption"
        title="In redemption"
        about="Their registries delete them. Until then their registrars can restore them, mostly for a fee."
        names={redemption}
      />
      {isListFirst && list}
      {calendar}
      {!isListFirst && list}
    </>
  );
}

const SANDBOX_NAME = 'expiring.test';

/** Explains the empty agenda, and offers a sandbox name that expires today. */
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
