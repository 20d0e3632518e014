import { useEffect } from 'preact/hooks';
import { getWatchlistSummary } from '../../../../clients/typescript/src/index.js';
import { useLiveReload } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ROUTES } from '../../routes.js';
import { ActionNeeded } from './action-needed.js';
import { formatQuery, type ListQuery } from './list-query.js';
import { TwelveMonths } from './twelve-months.js';

interface OverviewProps {
  readonly query: ListQuery;
  /** Changes whenever the list was read again, which reloads the overview. */
  readonly listed: unknown;
}

export function Overview({ query, listed }: OverviewProps) {
  const { client } = useSession();
  const { data, failure, reload } = useRequest((signal) => getWatchlistSummary({ client, signal }), []);
  useLiveReload(reload, () => true);
  useEffect(reload, [listed]);
  if (failure) return <ProblemNote failure={failure} onRetry={reload} />;
  if (data === null || data.entries === 0) return null;
  return (
    <div class="overview">
      <ActionNeeded needed={data.action_needed} />
      <TwelveMonths months={data.expires_by_month} chosen={query.expiresInMonth} pathOf={monthPath} />
    </div>
  );
}

function monthPath(month: string): string {
  return `${ROUTES.watchlist}${formatQuery({ expiresInMonth: month, paused: false })}`;
}
