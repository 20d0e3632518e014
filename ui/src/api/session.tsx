import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import {
  type Client,
  getMe,
  getSignIn,
  type Me,
  namewatch,
  signOut as endOwnSession,
  startSession,
} from '../../../clients/typescript/src/index.js';
import { call, type Failure, toFailure } from './call.js';
import { accountPath, ADDRESSED_ACCOUNT, SERVICE_URL, UI_PATH } from '../routes.js';

/** A key is kept only until the tab is closed. A session's cookie is hidden from scripts. */
const STORAGE_KEY = 'namewatch.key';

/** null if the browser uses the cookie of a session instead. */
type Key = string | null;

type SessionState =
  | { readonly kind: 'signed-out'; readonly failure: Failure | null }
  | { readonly kind: 'signing-in'; readonly key: Key }
  | { readonly kind: 'unreachable'; readonly key: Key; readonly failure: Failure }
  | { readonly kind: 'signed-in'; readonly session: Session };

interface Session {
  /** The generated client with this session's credentials. A 401 ends the session and shows the problem. */
  readonly client: Client;
  /** Requests a path of an extension. Does not follow redirects. */
  readonly get: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly me: Me;
  /** Whether a session cookie is used, so that the browser stays signed in. */
  readonly isByCookie: boolean;
  /** Whether the key or the person has a scope, such as `watchlist:write`. */
  readonly can: (scope: string) => boolean;
  readonly signOut: () => void;
}

interface SignIn {
  readonly state: SessionState;
  /** @param stay whether to start a session, which also signs in other tabs */
  readonly signIn: (key: string, stay: boolean) => void;
  readonly retry: () => void;
  readonly signOut: () => void;
}

/** Signs in with the key of this tab or the browser's cookie, and reads who the caller is. */
export function useSignIn(): SignIn {
  const [state, setState] = useState<SessionState>({ kind: 'signing-in', key: sessionStorage.getItem(STORAGE_KEY) });
  const signOut = useCallback((failure: Failure | null = null) => {
    sessionStorage.removeItem(STORAGE_KEY);
    setState({ kind: 'signed-out', failure });
  }, []);
  const signIn = useCallback((key: string, stay: boolean) => {
    if (stay) void exchange(key).then((failure) => (failure ? signOut(failure) : setState({ kind: 'signing-in', key: null })));
    else setState({ kind: 'signing-in', key });
  }, []);
  const pendingKey = state.kind === 'signing-in' ? state.key : undefined;
  useEffect(() => {
    if (pendingKey === undefined) return;
    const client = createSessionClient(pendingKey, pendingKey === null ? ADDRESSED_ACCOUNT : null, signOut);
    void call(getMe({ client })).then((outcome) => {
      const address = outcome.ok ? addressWithAccount(outcome.data) : null;
      if (address !== null) location.replace(address);
      else if (outcome.ok) {
        if (pendingKey !== null) sessionStorage.setItem(STORAGE_KEY, pendingKey);
        const session = createSession(pendingKey, outcome.data, signOut);
        setState({ kind: 'signed-in', session });
      } else if (outcome.failure.isRetryable) setState({ kind: 'unreachable', key: pendingKey, failure: outcome.failure });
      else signOut(outcome.failure.code === 'authentication_required' ? null : outcome.failure);
    });
  }, [pendingKey]);
  const retry = () => state.kind === 'unreachable' && setState({ kind: 'signing-in', key: state.key });
  return useMemo(() => ({ state, signIn, retry, signOut: () => signOut() }), [state]);
}

/** Exchanges the key for the cookie of a session. @returns the failure; null after a success */
async function exchange(key: string): Promise<Failure | null> {
  const outcome = await call(startSession({ client: namewatch({ url: SERVICE_URL, key }) }));
  return outcome.ok ? null : outcome.failure;
}

/** Returns the address of a person's account, which links and tabs keep. Returns null if it is not needed. */
function addressWithAccount({ account, accounts }: Me): string | null {
  if (ADDRESSED_ACCOUNT !== null || accounts === null || accounts.length < 2) return null;
  const { pathname, search, hash } = location;
  return accountPath(account.id) + (pathname.slice(UI_PATH.length) || '/') + search + hash;
}

/** @param accountId the account of the requests; null for the key's account or the person's first */
function headersOf(key: Key, accountId: string | null): Record<string, string> {
  return {
    ...(key === null ? { 'x-requested-with': 'namewatch' } : {}), // a form of another site cannot send this header
    ...(accountId === null ? {} : { 'x-namewatch-account': accountId }),
  };
}

function createSessionClient(
  key: Key,
  accountId: string | null,
  onRefused: (failure: Failure | null) => void,
): Client {
  const client = namewatch({ url: SERVICE_URL, key: key ?? '' });
  client.setConfig({ headers: headersOf(key, accountId), credentials: key === null ? 'same-origin' : 'omit' });
  client.interceptors.error.use((error, response) => {
    const failure = toFailure(error);
    const hasEnded = response?.status === 401 || failure.code === 'not_a_member';
    if (hasEnded) onRefused(failure.code === 'authentication_required' ? null : failure);
    return error;
  });
  return client;
}

/** Makes a session whose requests name the shown account, so that no change reaches another account. */
function createSession(key: Key, me: Me, signOut: (failure?: Failure | null) => void): Session {
  const client = createSessionClient(key, me.account.id, signOut);
  const scopes: readonly string[] = (me.key ?? me.identity ?? me.person)?.scopes ?? [];
  const headers = { ...headersOf(key, me.account.id), ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
  const credentials = key === null ? 'same-origin' : 'omit';
  return {
    client,
    get: (path, signal) =>
      fetch(SERVICE_URL + path, { headers, signal, redirect: 'manual', cache: 'no-store', credentials }),
    me,
    isByCookie: key === null,
    can: (scope) => scopes.includes('admin') || scopes.includes(scope),
    signOut: () => {
      if (key !== null) return signOut();
      void endOnServer(client, me).then(signOut);
    },
  };
}

/** Ends the session, and signs a person out at the provider too. Otherwise the next person could sign in there. */
async function endOnServer(client: Client, { person }: Me): Promise<Failure | null> {
  const { data: signIn } = person ? await getSignIn({ client }).catch(() => ({ data: undefined })) : { data: undefined };
  const ended = await call(endOwnSession({ client }));
  if (!ended.ok) return ended.failure;
  const url = signIn?.provider?.sign_out_url;
  if (url) location.assign(url);
  return null;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ session, children }: { session: Session; children: ComponentChildren }) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** Returns the session. Only components inside the shell have one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this component is outside the session');
  return session;
}
