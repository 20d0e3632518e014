import type { MassChangeEventData, WatchlistEventData } from '../../../watchlist/language.js';
import { type ChannelEventData, toChannelEventText } from './channel-event-text.js';
import { type EventText, toEventText } from './event-text.js';
import { toPrintableLine } from './printable-line.js';
import { isMassChange, toMassChangeText } from './record-change-text.js';

/** An event as a person reads it, as plain data. */
export interface EventDescription extends EventText {
  /** The entry of the watchlist, with its name in ASCII; null for events about channels or many names. */
  readonly entry: { readonly id: string; readonly domain: string } | null;
}

/**
 * An event as text: facts of the registry and what the account wrote, nothing of a registrant. Every text is one printable
 * line without markup, to be escaped for where it is shown.
 * @param event `Message.event`
 */
export function describeEvent({ type, body }: { readonly type: string; readonly body: string }): EventDescription {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | MassChangeEventData | ChannelEventData };
  if ('channel_id' in data) return { ...toLines(toChannelEventText(data)), entry: null };
  if (isMassChange(data)) return { ...toLines(toMassChangeText(data)), entry: null };
  return { ...toLines(toEventText(type, data)), entry: { id: data.entry_id, domain: data.domain } };
}

function toLines({ headline, advice, facts }: EventText): EventText {
  return {
    headline: toPrintableLine(headline),
    advice: advice.map(toPrintableLine),
    facts: facts.map(({ label, value }) => ({ label: toPrintableLine(label), value: toPrintableLine(value) })),
  };
}
