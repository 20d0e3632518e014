import type { WatchlistEventData } from '../../../watchlist/language.js';
import { type ChannelEventData, toChannelEventText } from './channel-event-text.js';
import { type EventText, toEventText } from './event-text.js';

/** An event as a person reads it, as plain data. */
export interface EventDescription extends EventText {
  /** The entry of the watchlist, with its name in ASCII; null for events about channels. */
  readonly entry: { readonly id: string; readonly domain: string } | null;
}

/**
 * An event as text: facts of the registry only, nothing that a registrant wrote.
 * @param event `Message.event`
 */
export function describeEvent({ type, body }: { readonly type: string; readonly body: string }): EventDescription {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | ChannelEventData };
  if ('channel_id' in data) return { ...toChannelEventText(data), entry: null };
  return { ...toEventText(type, data), entry: { id: data.entry_id, domain: data.domain } };
}
