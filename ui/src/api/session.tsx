import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { type Client, getMe, type Me, namewatch } from '../../../clients/typescript/src/index.js';
import { call, type Failure, toFailure } from './call.js';
import { SERVICE_URL } from '../routes.js';

/** The key is kept for this tab only, and is gone when the tab is closed. */
const STORAGE_KEY = 'namewatch.key';

type SessionState =
  | { readonly kind: 'signed-out'; readonly failure: Failure | null }
  | { readonly kind: 'signing-in'; readonly key: string }
  | { readonly kind: 'unreachable'; readonly key: string; readonly failure: Failure }
  | { readonly kind: 'signed-in'; readonly session: Session };

/** Who has signed in. */
interface Session {
  /** For every function of the generated client. A 401 ends the session, with the problem's words. */
  readonly client: Client;
  /** Asks for a path of the service that is not Namewatch's own; a redirect is not followed. */
  readonly get: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly me: Me;
  /** Whether the key has a scope, such as `watchlist:write`. */
  readonly can: (scope: string) => boolean;
  readonly signOut: () => void;
}

interface SignIn {
  readonly state: SessionState;
  readonly signIn: (key: string) => void;
  readonly signOut: () => void;
}

/** Keeps the key of this tab and asks for whose it is. */
export function useSignIn(): SignIn {
  const [state, setState] = useState<SessionState>(() => startState(sessionStorage.getItem(STORAGE_KEY)));
  const signOut = useCallback((failure: Failure | null = null) => {
    sessionStorage.removeItem(STORAGE_KEY);
    setState({ kind: 'signed-out', failure });
  }, []);
  const signIn = useCallback((key: string) => setState({ kind: 'signing-in', key }), []);
  const pendingKey = state.kind === 'signing-in' ? state.key : null;
  useEffect(() => {
    if (pendingKey === null) return;
    const client = createSessionClient(pendingKey, signOut);
    void call(getMe({ client })).then((outcome) => {
      if (outcome.ok) {
        sessionStorage.setItem(STORAGE_KEY, pendingKey);
        setState({ kind: 'signed-in', session: createSession(client, pendingKey, outcome.data, () => signOut()) });
      } else if (outcome.failure.isRetryable) setState({ kind: 'unreachable', key: pendingKey, failure: outcome.failure });
      else signOut(outcome.failure);
    });
  }, [pendingKey]);
  return useMemo(() => ({ state, signIn, signOut: () => signOut() }), [state]);
}

function startState(key: string | null): SessionState {
  return key === null ? { kind: 'signed-out', failure: null } : { kind: 'signing-in', key };
}

function createSessionClient(key: string, onRefused: (failure: Failure) => void): Client {
  const client = namewatch({ url: SERVICE_URL, key });
  client.interceptors.error.use((error, response) => {
    if (response?.status === 401) onRefused(toFailure(error));
    return error;
  });
  return client;
}

function createSession(client: Client, key: string, me: Me, signOut: () => void): Session {
  const scopes: readonly string[] = me.key?.scopes ?? me.identity?.scopes ?? [];
  const headers = { authorization: `Bearer ${key}` };
  return {
    client,
    get: (path, signal) =>
      fetch(SERVICE_URL + path, { headers, signal, redirect: 'manual', cache: 'no-store', credentials: 'omit' }),
    me,
    can: (scope) => scopes.includes('admin') || scopes.includes(scope),
    signOut,
  };
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ComponentChildren }) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** Returns the session; only a component inside the shell, which is shown after the sign-in, has one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this component is outside the session');
  return session;
}
