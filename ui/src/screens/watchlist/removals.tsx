import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { removeFromWatchlist } from '../../../../clients/typescript/src/index.js';
import { call } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { useToasts } from '../../components/toasts.js';
import { bulkText, countNames, forEachEntry } from './for-each-entry.js';
import { type ManyAct, runMany } from './many.js';

interface Removable {
  readonly id: string;
  readonly domain: string;
}

interface Removals {
  /** Entries that will be removed in a moment. Lists do not show them. */
  readonly pending: ReadonlySet<string>;
  readonly remove: (entries: readonly Removable[], onRemoved?: () => void) => void;
  /** Removes all matching entries, if their number is still the same. */
  readonly removeMatching: (target: ManyAct['target'], count: number, onRemoved: () => void) => void;
  /** The progress of that removal; null if none is running. */
  readonly progress: { readonly done: number; readonly total: number } | null;
}

/**
 * The time for undoing. The request is sent only afterwards, since adding the name again would not restore its history.
 * Closing the page before that removes nothing.
 */
const UNDO_MS = 8_000;

const RemovalContext = createContext<Removals | null>(null);

export function RemovalProvider({ children }: { children: ComponentChildren }) {
  const { client } = useSession();
  const { show } = useToasts();
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useEffect(() => () => timers.current.forEach((timer) => clearTimeout(timer)), []);
  const [progress, setProgress] = useState<Removals['progress']>(null);
  const value = useMemo(() => {
    const keep = (ids: readonly string[]) => setPending((all) => new Set([...all].filter((one) => !ids.includes(one))));
    /** Sends the request when the time for undoing is over. */
    const schedule = (what: ComponentChildren, send: () => Promise<void>, onUndone: () => void) => {
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        void send();
      }, UNDO_MS);
      timers.current.add(timer);
      const undo = () => {
        clearTimeout(timer);
        timers.current.delete(timer);
        onUndone();
      };
      show({ text: <>Removing {what}</>, action: { label: 'Undo', run: undo }, forMs: UNDO_MS - 500 });
    };
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
      const what = entries.length === 1 ? <bdi>{entries[0]?.domain}</bdi> : countNames(entries.length);
      schedule(
        what,
        () => send(entries, onRemoved),
        () => keep(ids),
      );
    };
    const sendMatching = async (target: ManyAct['target'], total: number, onRemoved: () => void) => {
      setProgress({ done: 0, total });
      const outcome = await runMany(client, { target, change: null }, total, (done) => setProgress({ done, total }));
      setProgress(null);
      if (outcome.ok) show({ text: `${countNames(outcome.data.removed ?? 0)} removed` });
      else show({ tone: 'bad', text: `${outcome.failure.title}: ${outcome.failure.detail}` });
      onRemoved();
    };
    const removeMatching: Removals['removeMatching'] = (target, count, onRemoved) =>
      schedule(
        countNames(count),
        () => sendMatching(target, count, onRemoved),
        () => undefined,
      );
    return { remove, removeMatching };
  }, [client, show]);
  return <RemovalContext.Provider value={{ ...value, pending, progress }}>{children}</RemovalContext.Provider>;
}

export function useRemovals(): Removals {
  const removals = useContext(RemovalContext);
  if (removals === null) throw new Error('this component is outside the removal provider');
  return removals;
}
