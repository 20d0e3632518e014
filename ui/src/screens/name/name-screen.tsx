import { useRoute } from 'preact-iso';
import { listWatchlist } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { PhaseBadge } from '../../components/badge.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';

export function NameScreen() {
  const domain = useRoute().params['domain'] ?? '';
  return <NamePage key={domain} domain={domain} />;
}

function NamePage({ domain }: { domain: string }) {
  const { client } = useSession();
  // Of the names that start with this text, the shortest is first: the name itself.
  const found = useRequest(
    (signal) => listWatchlist({ client, signal, query: { domain, sort: 'domain', per_page: 1, expand: 'lifecycle' } }),
    [domain],
  );
  const entry = found.data?.data.find((one) => one.domain === domain) ?? null;
  return (
    <Page title={domain} heading={<bdi>{domain}</bdi>}>
      {found.failure && <ProblemNote failure={found.failure} onRetry={found.reload} />}
      {found.data === null && found.isLoading && <Loading />}
      {found.data !== null && entry === null && <p>This name is not on the watchlist.</p>}
      {entry && <PhaseBadge phase={entry.lifecycle?.phase ?? entry.status} />}
    </Page>
  );
}
