import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { listWatchlist } from '../../../../clients/typescript/src/index.js';
import { useEvents } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { namePath, ROUTES } from '../../routes.js';
import { NewestRemovedLink, RemovedEntry, UnwatchedName } from './unwatched-name.js';
import { WatchedName } from './watched-name.js';

export function NameScreen() {
  const { params, query } = useRoute();
  const domain = (params['domain'] ?? '').toLowerCase();
  const removed = query['removed'] ?? null;
  return <NamePage key={`${domain} ${removed}`} domain={domain} removed={removed} />;
}

const REFRESH_MS = 20_000;

/** Shows all that is known about a name. @param removed the id of a removed entry whose history is shown */
function NamePage({ domain, removed }: { domain: string; removed: string | null }) {
  const { client } = useSession();
  const { route } = useLocation();
  const [round, setRound] = useState(0);
  // The filter finds all names that begin with this text. The name itself sorts first.
  const query = { domain, sort: 'domain', per_page: 1, expand: 'details,lifecycle,evidence,record' } as const;
  const found = useRequest((signal) => listWatchlist({ client, signal, query }), [domain]);
  const entry = found.data?.data.find((one) => one.domain === domain) ?? null;
  const reload = () => {
    found.reload();
    setRound((before) => before + 1);
  };
  useEvents({
    onEvent: ({ data }) => {
      if ('entry_id' in data && data.entry_id === entry?.id) reload();
    },
    onGap: reload,
  });
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && found.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (entry?.details && removed === null)
    return (
      <WatchedName
        entry={entry}
        details={entry.details}
        round={round}
        failure={found.failure}
        onChanged={reload}
        onRemoved={() => route(ROUTES.watchlist)}
      />
    );
  return (
    <Page title={domain} heading={<bdi>{domain}</bdi>}>
      {found.failure && <ProblemNote failure={found.failure} onRetry={found.reload} />}
      {found.data === null && found.isLoading && <Loading />}
      {found.data !== null && entry === null && <UnwatchedName domain={domain} onAdded={reload} />}
      {removed !== null && entry !== null && (
        <p>
          The name is watched again: <a href={namePath(domain)}>what it is now</a>.
        </p>
      )}
      {found.data !== null && entry === null && removed === null && <NewestRemovedLink domain={domain} />}
      {removed !== null && <RemovedEntry id={removed} />}
    </Page>
  );
}
