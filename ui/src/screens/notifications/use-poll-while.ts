import { useEffect } from 'preact/hooks';

const POLL_MS = 2_000;

/**
 * Attempts are no events: while one is under way, the page asks.
 * @param data the last answer; the next question follows it
 */
export function usePollWhile(isUnderWay: boolean, reload: () => void, data: unknown): void {
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setTimeout(reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [isUnderWay, data]);
}
