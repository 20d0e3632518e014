import { useState } from 'preact/hooks';
import { type IssuedKey, issueKey } from '../../../../clients/typescript/src/index.js';
import { useAction } from '../../api/use-action.js';
import { useSession } from '../../api/session.js';
import { ProblemNote } from '../../components/problem-note.js';
import { type Scope, SCOPES } from './scope-words.js';

const LIFETIMES = [
  { days: 0, label: 'until it is revoked' },
  { days: 30, label: 'for 30 days' },
  { days: 90, label: 'for 90 days' },
  { days: 365, label: 'for a year' },
];
const DAY_MS = 86_400_000;

/** A key with no more than it needs: by default it may read and not write. */
export function IssueKeyForm({ onIssued }: { onIssued: (key: IssuedKey) => void }) {
  const { client } = useSession();
  const { isBusy, failure, run } = useAction();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['domains:read', 'watchlist:read', 'notifications:read']);
  const [days, setDays] = useState(0);
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  const submit = (event: Event) => {
    event.preventDefault();
    const until = days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
    run(issueKey({ client, body: { name: name.trim(), scopes: [...scopes], ...until } }), onIssued);
  };
  return (
    <form class="form" onSubmit={submit}>
      <label class="field">
        <span class="field-label">Name</span>
        <input
          required
          name="name"
          maxLength={100}
          placeholder="deploy"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="field-hint">What it is for, so that you know later which one to revoke.</span>
      </label>
      <fieldset class="choices">
        <legend class="field-label">It may</legend>
        {SCOPES.map(({ scope, label }) => (
          <label key={scope} class="choice">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              {label} <code>{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span class="field-label">It works</span>
        <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
          {LIFETIMES.map((one) => (
            <option key={one.days} value={one.days}>
              {one.label}
            </option>
          ))}
        </select>
      </label>
      {failure && <ProblemNote failure={failure} />}
      <div class="button-row">
        <button type="submit" class="button primary" disabled={isBusy || scopes.length === 0}>
          Issue
        </button>
      </div>
    </form>
  );
}
