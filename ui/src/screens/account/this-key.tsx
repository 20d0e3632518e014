import type { Me } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { lackingScopes, scopeLabel } from './scope-words.js';

/** Who is signed in, what they may do, and what their key lacks. */
export function ThisKey({ me: { key, identity } }: { me: Me }) {
  const scopes: readonly string[] = key?.scopes ?? identity?.scopes ?? [];
  const lacking = lackingScopes(scopes);
  return (
    <section class="card" aria-labelledby="this-key">
      <h2 id="this-key">You are signed in with</h2>
      <dl class="facts">
        <dt>{key ? 'Key' : 'Identity'}</dt>
        <dd>
          <Text value={key?.name ?? identity?.subject ?? ''} max={100} />
        </dd>
        <dt>Works until</dt>
        <dd>
          <When at={key?.expires_at ?? identity?.expires_at ?? null} otherwise="no end" show="instant" />
        </dd>
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
