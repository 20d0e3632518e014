import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { removeFromWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useToasts } from '../../components/toasts.js';
import { bulkText, countNames, forEachEntry } from './for-each-entry.js';

interface Removable {
  readonly id: string;
  readonly domain: string;
}

interface Removals {
  /** Entries that are removed after a moment: lists leave them out. */
  readonly pending: ReadonlySet<string>;
  readonly remove: (entries: readonly Removable[], onRemoved?: () => void) => void;
}

/**
 * Removing an entry ends its history, and adding it again makes another entry. So the request is sent when the time for
 * undoing is over; a page that is closed before has removed nothing.
 */
const UNDO_MS = 8_000;

const RemovalContext = createContext<Removals | null>(null);

export function RemovalProvider({ children }: { children: ComponentChildren }) {
  const { client } = useSession();
  const { show } = useToasts();
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => () => timers.current.forEach((timer) => clearTimeout(timer)), []);
  const value = useMemo(() => {
    const keep = (ids: readonly string[]) => setPending((all) => new Set([...all].filter((one) => !ids.includes(one))));
    const send = async (entries: readonly Removable[], onRemoved?: () => void) => {
      const outcome = await forEachEntry(entries, async ({ id }) => {
        const removed = await call(removeFromWatchlist({ client, path: { id } }));
        return !removed.ok && removed.failure.code === 'not_found' ? { ok: true, data: null } : removed;
      });
      if (outcome.failed.length > 0) show({ tone: 'bad', text: bulkText(outcome, 'removed') });
      onRemoved?.();
      keep(entries.map(({ id }) => id));
    };
    const remove = (entries: readonly Removable[], onRemoved?: () => void) => {
      const ids = entries.map(({ id }) => id);
      setPending((all) => new Set([...all, ...ids]));
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        void send(entries, onRemoved);
      }, UNDO_MS);
      timers.current.add(timer);
      const undo = () => {
        clearTimeout(timer);
        timers.current.delete(timer);
        keep(ids);
      };
      const text = <>Removing {entries.length === 1 ? <bdi>{entries[0]?.domain}</bdi> : countNames(entries.length)}</>;
      show({ text, action: { label: 'Undo', run: undo }, forMs: UNDO_MS - 500 });
    };
    return { remove };
  }, [client, show]);
  return <RemovalContext.Provider value={{ ...value, pending }}>{children}</RemovalContext.Provider>;
}

export function useRemovals(): Removals {
  const removals = useContext(RemovalContext);
  if (removals === null) throw new Error('this component is outside the removal provider');
  return removals;
}
