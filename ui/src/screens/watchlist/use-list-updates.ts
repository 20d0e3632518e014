import { useEffect, useRef, useState } from 'preact/hooks';
import type { Event, ExpandedEntry } from '../../../../clients/typescript/src/index.js';
import { useEvents } from '../../api/live.js';
import { phaseLabel } from '../../components/phase-words.js';

/** Several events within this time cause one request. */
const GATHER_MS = 400;
/** The time that a due check usually takes. */
const AFTER_CHECK_MS = 2_000;
const AT_LEAST_MS = 3_000;
const AT_MOST_MS = 60_000;

/**
 * Reloads the list after an event, and after the next due check. A check without a change causes no event.
 * @returns a sentence about the last change of a shown name, for screen readers
 */
export function useListUpdates(entries: readonly ExpandedEntry[], reload: () => void): string {
  const [news, setNews] = useState('');
  const gathering = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(gathering.current), []);
  const onEvent = (event: Event) => {
    clearTimeout(gathering.current);
    gathering.current = setTimeout(reload, GATHER_MS);
    if (!('entry_id' in event.data)) return;
    const { entry_id: id, domain_unicode: name, phase } = event.data;
    if (entries.some((entry) => entry.id === id)) setNews(`${name}: ${phaseLabel(phase)}`);
  };
  useEvents({ onEvent, onGap: reload });
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') reload();
    }, untilNextCheck(entries));
    return () => clearTimeout(timer);
  }, [entries]);
  return news;
}

function untilNextCheck(entries: readonly ExpandedEntry[]): number {
  const times = entries.flatMap(({ details }) => (details?.next_check_at ? [Date.parse(details.next_check_at)] : []));
  const wait = Math.min(...times) - Date.now() + AFTER_CHECK_MS;
  return Math.max(AT_LEAST_MS, Math.min(AT_MOST_MS, wait));
}
