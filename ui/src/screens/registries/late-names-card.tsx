import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Loading } from '../../components/loading.js';
import { ProblemNote } from '../../components/problem-note.js';
import { When } from '../../components/when.js';
import { namePath } from '../../routes.js';
import { lateReason, readLateNames } from './late-names.js';

/** How far behind the checks of this account's own names are. */
export function LateNamesCard() {
  const { client } = useSession();
  const { data, failure, isLoading, reload } = useRequest(
    async (signal) => ({ data: await readLateNames(client, signal, new Date()) }),
    [],
  );
  return (
    <section class="card" aria-labelledby="late">
      <h2 id="late">How far behind</h2>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.length === 0 && <p>All of your names were checked within their intervals.</p>}
      {data && data.length > 0 && (
        <ul class="plain-list">
          {data.map((name) => (
            <li key={name.entryId}>
              <a class="domain" href={namePath(name.domain)}>
                {name.domain}
              </a>{' '}
              {name.lastCheckedAt === null ? (
                'has not been answered yet'
              ) : (
                <>
                  was last answered <When at={name.lastCheckedAt} />
                </>
              )}
              <span class="muted">: {lateReason(name)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
