import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api/call.js';
import { ProblemNote } from '../../components/problem-note.js';
import mark from '../../assets/mark.svg';
import { ADDRESSED_ACCOUNT, DASHBOARD_PATH, ROUTES } from '../../routes.js';
import { ProviderSignIn } from './provider-sign-in.js';

interface SignInProps {
  /** Why the previous key no longer works. */
  readonly failure: Failure | null;
  readonly onKey: (key: string, stay: boolean) => void;
  /** Whether the person opened an invitation, which a key cannot accept. */
  readonly isInvited?: boolean;
}

export function SignInScreen({ failure, onKey, isInvited = false }: SignInProps) {
  useEffect(() => void (document.title = 'Sign in · Namewatch'), []);
  return (
    <main class="sign-in">
      <div class="sign-in-card card">
        <h1>
          <img src={mark} alt="" width="36" height="36" /> Namewatch
        </h1>
        <p class="muted">Watches domain names, and notices when one can be registered.</p>
        {failure && <ProblemNote failure={failure} />}
        {failure?.code === 'not_a_member' && ADDRESSED_ACCOUNT !== null && (
          <p>
            <a href={`${DASHBOARD_PATH}/`}>Go to an account of yours</a>
          </p>
        )}
        <ProviderSignIn isInvited={isInvited} />
        {isInvited ? (
          <p>
            <a href={ROUTES.watchlist}>Go to the dashboard without it</a>
          </p>
        ) : (
          <KeySignIn onKey={onKey} />
        )}
      </div>
    </main>
  );
}

/** Takes an API key, and sends it only to this service. The key is kept for this tab, or exchanged for a session. */
function KeySignIn({ onKey }: Pick<SignInProps, 'onKey'>) {
  const [key, setKey] = useState('');
  const [stay, setStay] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim(), stay);
  };
  return (
    <>
      <form onSubmit={submit} class="stack">
        <label class="field">
          <span class="field-label">API key</span>
          <input
            ref={input}
            type="password"
            name="key"
            autocomplete="off"
            spellcheck={false}
            placeholder="nw_…"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <label class="choice">
          <input type="checkbox" checked={stay} onChange={(event) => setStay(event.currentTarget.checked)} />
          <span>Stay signed in on this browser</span>
        </label>
        <button type="submit" class="button primary" disabled={key.trim() === ''}>
          Sign in
        </button>
      </form>
      <section class="sign-in-help" aria-labelledby="where-from">
        <h2 id="where-from">Where do I get a key?</h2>
        <ul>
          <li>
            The first one is in the file <code>first-key</code> of the data directory, by default{' '}
            <code>.data/first-key</code>.
          </li>
          <li>
            With <code>npx namewatch key create</code> on the machine of the service.
          </li>
          <li>
            From an administrator of this service, or anyone whose key has the scope <code>admin</code>.
          </li>
        </ul>
        <p class="muted">
          {stay
            ? 'The key is exchanged for a cookie, and not kept. Sign out to end it, here or under Keys and account.'
            : 'The key stays in this tab, and is forgotten when you close it.'}
        </p>
      </section>
    </>
  );
}
