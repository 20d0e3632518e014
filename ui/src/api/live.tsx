import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { EventFeed, type FeedListener, type FeedState } from './event-feed.js';
import { useSession } from './session.js';

const FeedContext = createContext<EventFeed | null>(null);

export function LiveProvider({ children }: { children: ComponentChildren }) {
  const { client } = useSession();
  const feed = useMemo(() => new EventFeed(client), [client]);
  useEffect(() => {
    feed.open();
    return () => feed.close();
  }, [feed]);
  return <FeedContext.Provider value={feed}>{children}</FeedContext.Provider>;
}

/** Calls the listener for every event of the account while the component is shown. */
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
