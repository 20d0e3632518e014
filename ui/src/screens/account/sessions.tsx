import {
  endOtherSessions,
  endSession,
  listSessions,
  type Session as ListedSession,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { When } from '../../components/when.js';

/** Lists the browsers that are signed in with the same key or as the same person. */
export function Sessions() {
  const { client, signOut } = useSession();
  const { data, failure, isLoading, reload } = useRequest((signal) => listSessions({ client, signal }), []);
  const action = useAction();
  const end = ({ id, current }: ListedSession) =>
    current ? signOut() : action.run(endSession({ client, path: { id } }), reload);
  return (
    <section class="stack-wide" aria-labelledby="sessions">
      <div class="page-head">
        <h2 id="sessions">Where you are signed in</h2>
        {data && data.data.length > 1 && (
          <button
            type="button"
            class="button"
            disabled={action.isBusy}
            onClick={() => action.run(endOtherSessions({ client }), reload)}
          >
            Sign out all others
          </button>
        )}
      </div>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {action.failure && <ProblemNote failure={action.failure} />}
      {data === null && isLoading && <Loading />}
      {data?.data.length === 0 && <p class="muted">No browser stays signed in.</p>}
      {data && data.data.length > 0 && (
        <div class="table-box" role="region" aria-label="Table of sessions" tabIndex={0}>
          <table class="table stacked">
            <thead>
              <tr>
                <th scope="col">Browser</th>
                <th scope="col">Address</th>
                <th scope="col">Signed in</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((session) => (
                <tr key={session.id}>
                  <th scope="row">
                    <ShortText value={session.user_agent ?? 'not said'} max={48} />{' '}
                    {session.current && <Badge tone="calm">This one</Badge>}
                  </th>
                  <td data-label="Address">{session.address ?? 'not known'}</td>
                  <td data-label="Signed in">
                    <When at={session.created_at} />
                  </td>
                  <td data-label="Last used">
                    <When at={session.used_at} />
                  </td>
                  <td data-label="Ends">
                    <When at={session.ends_at} show="day" />
                  </td>
                  <td>
                    <button
                      type="button"
                      class="button small"
                      disabled={action.isBusy}
                      aria-label={`Sign out ${session.current ? 'this browser' : (session.user_agent ?? session.id)}`}
                      onClick={() => end(session)}
                    >
                      Sign out
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
