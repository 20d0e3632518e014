import { useEffect, useRef } from 'preact/hooks';
import { useEvents } from './live.js';

/** Events come in bursts: one reading for all of a moment. */
const GATHER_MS = 500;

/** Reads again what is shown when events of these types arrive, or may have been missed. */
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
