import { useState } from 'preact/hooks';
import { listRegistries } from '../../../../clients/typescript/src/index.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { LateNamesCard } from './late-names-card.js';
import { RegistryRow } from './registry-row.js';

const PER_PAGE = 25;

/** Who is asked about which TLDs, how often, and whether they answer. */
export function RegistriesScreen() {
  const { client, can } = useSession();
  const [page, setPage] = useState(1);
  const [typed, setTyped] = useState('');
  const [tld, setTld] = useState('');
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listRegistries({ client, signal, query: { page, per_page: PER_PAGE, ...(tld === '' ? {} : { tld }) } }),
    [page, tld],
  );
  const search = (event: Event) => {
    event.preventDefault();
    setPage(1);
    setTld(typed.trim().replace(/^\./, ''));
  };
  const refresh = (
    <button type="button" class="button" onClick={reload}>
      Refresh
    </button>
  );
  return (
    <Page title="Registries" actions={refresh}>
      <p class="muted">
        The service asks each operator no faster than it allows, and leaves one alone that fails. An error never becomes
        the status of a name.
      </p>
      {can('watchlist:read') && <LateNamesCard />}
      <form class="filter-row" role="search" onSubmit={search}>
        <label class="field">
          <span class="field-label">TLD</span>
          <input
            name="tld"
            placeholder="com"
            maxLength={64}
            pattern="\.?[A-Za-z0-9\-]{1,63}"
            title="Letters, digits and hyphens, such as com or xn--p1ai"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Find
        </button>
      </form>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && (
        <EmptyState title="No server for this TLD">
          <p>No RDAP or WHOIS server is known for it, so its names cannot be watched. An administrator can add one.</p>
        </EmptyState>
      )}
      {data && data.data.length > 0 && (
        <div class="table-box" role="region" aria-label="Operators" tabIndex={0}>
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">Operator</th>
                <th scope="col">TLDs</th>
                <th scope="col">Protocol</th>
                <th scope="col">Rate limit</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((registry) => (
                <RegistryRow key={registry.operator} registry={registry} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
    </Page>
  );
}
