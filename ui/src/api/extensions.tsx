import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import {
  type Extension,
  type Extensions,
  listExtensions,
  type LookupSource,
} from '../../../clients/typescript/src/index.js';
import { useLiveReload } from './live.js';
import { useSession } from './session.js';
import { type Requested, useRequest } from './use-request.js';

const ExtensionsContext = createContext<Requested<Extensions> | null>(null);

/** Reads the extensions, and again after a lost connection, since the service may have restarted with others. */
export function ExtensionsProvider({ children }: { children: ComponentChildren }) {
  const { client } = useSession();
  const requested = useRequest((signal) => listExtensions({ client, signal }), []);
  useLiveReload(requested.reload, () => false);
  return <ExtensionsContext.Provider value={requested}>{children}</ExtensionsContext.Provider>;
}

interface KnownExtensions extends Omit<Requested<Extensions>, 'data' | 'replace'> {
  /** Empty until the response arrives. */
  readonly extensions: readonly Extension[];
  readonly sources: readonly LookupSource[];
}

export function useExtensions(): KnownExtensions {
  const requested = useContext(ExtensionsContext);
  if (requested === null) throw new Error('this component is outside of the shell');
  const { data, failure, isLoading, reload } = requested;
  const extensions = data?.data ?? [];
  const sources = extensions.flatMap(({ lookup_sources: theirs }) => theirs);
  return { extensions, sources, failure, isLoading, reload };
}
