import { useEffect, useRef } from 'preact/hooks';
import type { Event } from '../../../../clients/typescript/src/index.js';
import { readBrowserChannel } from '../../api/browser-channel.js';
import { useEvents } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { toBrowserNotes } from './browser-notes.js';

const GATHER_MS = 1_000;

/** Shows events as desktop notifications while a page is open, if the person turned this on. */
export function BrowserNotifier() {
  const { me } = useSession();
  const gathered = useRef<Event[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const show = () => {
    const notes = toBrowserNotes(gathered.current);
    gathered.current = [];
    for (const { title, body, tag } of notes) {
      const shown = new Notification(title, { body, tag });
      shown.addEventListener('click', () => window.focus());
    }
  };
  const onEvent = (event: Event) => {
    if (!readBrowserChannel(me.account.id).isOn) return;
    if (gathered.current.length === 0) timer.current = setTimeout(show, GATHER_MS);
    gathered.current.push(event);
  };
  useEvents({ onEvent });
  useEffect(() => () => clearTimeout(timer.current), []);
  return null;
}
