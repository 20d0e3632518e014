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

/** A key is kept for this tab only, and is gone when the tab is closed. A session's cookie is out of the page's reach. */
const STORAGE_KEY = 'namewatch.key';

/** null: the cookie of a session, if the browser has one. */
type Key = string | null;

type SessionState =
  | { readonly kind: 'signed-out'; readonly failure: Failure | null }
  | { readonly kind: 'signing-in'; readonly key: Key }
  | { readonly kind: 'unreachable'; readonly key: Key; readonly failure: Failure }
  | { readonly kind: 'signed-in'; readonly session: Session };

/** A signed-in caller. */
interface Session {
  /** For every function of the generated client. A 401 ends the session, with the problem's words. */
  readonly client: Client;
  /** Asks for a path of the service that is not Namewatch's own; a redirect is not followed. */
  readonly get: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly me: Me;
  /** Whether the browser stays signed in, and its sessions can be listed. */
  readonly isByCookie: boolean;
  /** Whether the key or the person has a scope, such as `watchlist:write`. */
  readonly can: (scope: string) => boolean;
  readonly signOut: () => void;
}

interface SignIn {
  readonly state: SessionState;
  /** @param stay whether other tabs, and this one later, are signed in too */
  readonly signIn: (key: string, stay: boolean) => void;
  readonly retry: () => void;
  readonly signOut: () => void;
}

/** Keeps the key of this tab, or uses the cookie of the browser, and asks for whose it is. */
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

/** The browser then has the cookie of a session in place of the key. @returns why not; null: it has */
async function exchange(key: string): Promise<Failure | null> {
  const outcome = await call(startSession({ client: namewatch({ url: SERVICE_URL, key }) }));
  return outcome.ok ? null : outcome.failure;
}

/** A person with several accounts has the account's address here: links and tabs stay in it. */
function addressWithAccount({ account, accounts }: Me): string | null {
  if (ADDRESSED_ACCOUNT !== null || accounts === null || accounts.length < 2) return null;
  const { pathname, search, hash } = location;
  return accountPath(account.id) + (pathname.slice(UI_PATH.length) || '/') + search + hash;
}

/** @param accountId that the requests are about; null: that of the key, or the person's first */
function headersOf(key: Key, accountId: string | null): Record<string, string> {
  return {
    ...(key === null ? { 'x-requested-with': 'namewatch' } : {}), // no form of another site can send it
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

/** Every request names the account that the page shows: an act on one screen never happens in another account. */
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

/** A person's browser goes on to the provider, whose own session would sign in the next person who sits there. */
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

/** Returns the session; only a component inside the shell, which is shown after the sign-in, has one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('this component is outside the session');
  return session;
}
