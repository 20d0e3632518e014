import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { readBrowserChannel } from './browser-channel.js';
import { EventFeed, type FeedListener, type FeedState } from './event-feed.js';
import { useSession } from './session.js';

const FeedContext = createContext<EventFeed | null>(null);

export function LiveProvider({ children }: { children: ComponentChildren }) {
  const { client, me } = useSession();
  const feed = useMemo(() => new EventFeed(client, () => readBrowserChannel(me.account.id).isOn), [client]);
  useEffect(() => {
    feed.open();
    return () => feed.close();
  }, [feed]);
  return <FeedContext.Provider value={feed}>{children}</FeedContext.Provider>;
}

export function useEvents(listener: FeedListener): void {
  const feed = useFeed();
  const current = useRef(listener);
  current.current = listener;
  useEffect(
    () =>
      feed.subscribe({
        onEvent: (event) => current.current.onEvent?.(event),
        onGap: () => current.current.onGap?.(),
      }),
    [feed],
  );
}

export function useFeedState(): FeedState {
  const feed = useFeed();
  const [state, setState] = useState(feed.state);
  useEffect(() => {
    setState(feed.state);
    return feed.followState(setState);
  }, [feed]);
  return state;
}

function useFeed(): EventFeed {
  const feed = useContext(FeedContext);
  if (feed === null) throw new Error('this component is outside the live provider');
  return feed;
}

/** Events come in bursts, so all events of this time cause one reload. */
const GATHER_MS = 500;

/** Reloads when an event of these types arrives, or when events may have been missed. */
export function useLiveReload(reload: () => void, concerns: (type: string) => boolean): void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const schedule = () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      reload();
    }, GATHER_MS);
  };
  useEvents({ onEvent: ({ type }) => concerns(type) && schedule(), onGap: schedule });
  useEffect(() => () => void (timer.current !== null && clearTimeout(timer.current)), []);
}

const POLL_MS = 2_000;

/**
 * Reloads repeatedly while a delivery is being attempted, since attempts cause no events.
 * @param data the last response, after which the next reload is scheduled
 */
export function usePollWhile(isUnderWay: boolean, reload: () => void, data: unknown): void {
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isUnderWay, data]);
}
