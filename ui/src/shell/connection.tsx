import { useEffect, useRef, useState } from 'preact/hooks';
import { useFeedState } from '../api/live.js';
import type { FeedState } from '../api/event-feed.js';
import { Icon } from '../components/icon.js';

const WORDS: Record<FeedState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost',
  busy: 'Updates off',
  paused: 'Paused',
  denied: 'No live updates',
};

export function ConnectionStatus() {
  const state = useFeedState();
  return (
    <p class="connection" data-state={state}>
      <span class="connection-dot" aria-hidden="true" />
      {WORDS[state]}
    </p>
  );
}

/** Shorter losses, such as a proxy's, are not shown. */
const NOTICED_AFTER_MS = 1_500;
const BACK_FOR_MS = 4_000;

/** Shows when the connection is lost and when it is back. Screen readers read the banner aloud. */
export function ConnectionBanner() {
  const state = useFeedState();
  const [notice, setNotice] = useState<'lost' | 'busy' | 'back' | null>(null);
  const wasNoticed = useRef(false);
  useEffect(() => {
    const show = (next: typeof notice) => {
      wasNoticed.current = next === 'lost';
      setNotice(next);
    };
    if (state === 'busy') show('busy');
    else if (state === 'live' && wasNoticed.current) {
      show('back');
      const timer = setTimeout(() => show(null), BACK_FOR_MS);
      return () => clearTimeout(timer);
    } else if (state === 'live') show(null);
    else if (state === 'lost') {
      const timer = setTimeout(() => show('lost'), NOTICED_AFTER_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [state]);
  return (
    <div role="status" class="connection-banner" data-notice={notice ?? 'none'}>
      {notice === 'lost' && (
        <p>
          <Icon name="warning" /> Connection to the service lost. What you see may be out of date; trying again.
        </p>
      )}
      {notice === 'busy' && (
        <p>
          <Icon name="warning" /> This account has as many live connections open as it may, or asks for too much at
          once: this page does not update by itself.
        </p>
      )}
      {notice === 'back' && (
        <p>
          <Icon name="check" /> Connected again.
        </p>
      )}
    </div>
  );
}
