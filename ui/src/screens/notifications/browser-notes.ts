import type { Event } from '../../../../clients/typescript/src/index.js';
import { type Happened, happeningText } from './event-words.js';

/** A desktop notification. */
export interface BrowserNote {
  readonly title: string;
  readonly body: string;
  /** Browsers show notes with the same tag once, even if several tabs send them. */
  readonly tag: string;
}

/** More notes than this become one note. */
const MOST_AT_A_TIME = 3;
const MAX_TITLE = 120;
const NOTHING = { phase: null, previous_phase: null, move: null, kind: null, threshold_days: null, due_on: null };

/** Makes a note for each event about a name, or one note if there are many. */
export function toBrowserNotes(events: readonly Event[]): readonly BrowserNote[] {
  const about = events.flatMap((event) => toNote(event) ?? []);
  const [first] = about;
  if (!first || about.length <= MOST_AT_A_TIME) return about;
  const names = new Set(about.map(({ title }) => title));
  return [{ title: `${about.length.toLocaleString('en')} changes`, body: listed([...names]), tag: first.tag }];
}

function toNote({ id, type, data }: Event): BrowserNote | null {
  if (!('domain_unicode' in data) || typeof data.domain_unicode !== 'string') return null;
  const happened = { ...NOTHING, ...(data as Partial<Happened>), event_type: type } as Happened;
  return { title: data.domain_unicode.slice(0, MAX_TITLE), body: happeningText(happened), tag: id };
}

function listed(names: readonly string[]): string {
  const others = names.length - MOST_AT_A_TIME;
  const shown = names.slice(0, MOST_AT_A_TIME).join(', ');
  return others > 0 ? `${shown} and ${others.toLocaleString('en')} more` : shown;
}
