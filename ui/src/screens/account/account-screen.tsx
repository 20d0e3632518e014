import { getMe, type Me } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { Keys } from './keys.js';
import { Sessions } from './sessions.js';
import { Limits } from './limits.js';
import { lackingScopes, scopeLabel } from './scope-words.js';

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
          {data.identity === null && <Sessions />}
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

/** Shows the signed-in caller, with granted permissions and missing scopes. */
function ThisKey({ me: { key, identity, person } }: { me: Me }) {
  const scopes: readonly string[] = (key ?? identity ?? person)?.scopes ?? [];
  const lacking = lackingScopes(scopes);
  return (
    <section class="card" aria-labelledby="this-key">
      <h2 id="this-key">You are signed in with</h2>
      <dl class="facts">
        <dt>{key ? 'Key' : person ? 'Name' : 'Identity'}</dt>
        <dd>
          <Text
            value={
              key?.name ?? person?.name ?? person?.email ?? identity?.name ?? identity?.subject ?? person?.id ?? ''
            }
            max={100}
          />
        </dd>
        {person ? (
          <>
            <dt>Role</dt>
            <dd>{person.role}</dd>
          </>
        ) : (
          <>
            <dt>Expires</dt>
            <dd>
              <When at={key?.expires_at ?? identity?.expires_at ?? null} otherwise="does not expire" show="instant" />
            </dd>
          </>
        )}
        <dt>May</dt>
        <dd>
          <ScopeList scopes={scopes} />
        </dd>
        {lacking.length > 0 && (
          <>
            <dt>Lacks</dt>
            <dd>
              <ScopeList scopes={lacking} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function ScopeList({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <>nothing</>;
  return (
    <ul class="plain-list">
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code> {scopeLabel(scope) !== scope && <span class="muted">{scopeLabel(scope)}</span>}
        </li>
      ))}
    </ul>
  );
}
