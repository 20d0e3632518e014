import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { removeFromWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useToasts } from '../../components/toasts.js';

interface Removable {
  readonly id: string;
  readonly domain: string;
}

interface Removals {
  /** Of entries that are removed after a moment: lists leave them out. */
  readonly pending: ReadonlySet<string>;
  readonly remove: (entry: Removable, onRemoved?: () => void) => void;
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
    const keep = (id: string) => setPending((all) => new Set([...all].filter((one) => one !== id)));
    const send = async ({ id, domain }: Removable, onRemoved?: () => void) => {
      const outcome = await call(removeFromWatchlist({ client, path: { id } }));
      const isGone = outcome.ok || outcome.failure.code === 'not_found';
      if (!isGone) show({ tone: 'bad', text: `${domain} was not removed: ${outcome.failure.detail}` });
      onRemoved?.();
      keep(id);
    };
    const remove = (entry: Removable, onRemoved?: () => void) => {
      setPending((all) => new Set(all).add(entry.id));
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        void send(entry, onRemoved);
      }, UNDO_MS);
      timers.current.add(timer);
      const undo = () => {
        clearTimeout(timer);
        timers.current.delete(timer);
        keep(entry.id);
      };
      const text = (
        <>
          Removing <bdi>{entry.domain}</bdi>
        </>
      );
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
