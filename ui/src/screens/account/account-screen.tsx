import { getMe } from '../../../../clients/typescript/src/index.js';
import { useRequest } from '../../api/use-request.js';
import { useSession } from '../../api/session.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Keys } from './keys.js';
import { Limits } from './limits.js';
import { ThisKey } from './this-key.js';

/** Whose key this is, what the plan allows and how much of it is used, and the account's keys. */
export function AccountScreen() {
  const { client, can } = useSession();
  const { data, failure, isLoading, reload } = useRequest((signal) => getMe({ client, signal }), []);
  return (
    <Page title="Keys and account">
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data && (
        <>
          <div class="card-grid">
            <Limits me={data} />
            <ThisKey me={data} />
          </div>
          {can('admin') ? (
            <Keys ownKeyId={data.key?.id ?? null} />
          ) : (
            <section class="card" aria-labelledby="keys">
              <h2 id="keys">Keys</h2>
              <p>
                To see, issue and revoke keys, a key needs the scope <code>admin</code>.
              </p>
            </section>
          )}
        </>
      )}
    </Page>
  );
}
