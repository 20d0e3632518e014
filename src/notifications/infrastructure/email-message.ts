import type { WatchlistEventData } from '../../watchlist/language.js';
import type { Message } from '../domain/channel-sender.js';
import { type ChannelEventData, channelWords } from '../domain/channel-words.js';
import { type EventWords, wordsFor } from '../domain/event-words.js';
import { letterOf } from './letter.js';
import type { EmailMessage } from './mail-relay.js';

/** Where people reach this service, and where they end its mail; null: no link. */
export interface Links {
  readonly publicUrl: string | null;
  readonly unsubscribe: string | null;
}

/** Why anybody gets our mail, at the foot of each. */
export const WHY = 'You get this because the notifications of a Namewatch account go to this address.';

/** One event as a mail. */
export function emailMessage({ event, channel }: Message, { publicUrl, unsubscribe }: Links): EmailMessage {
  const { words, entryId } = toldOf(event);
  return letterOf({
    headline: words.headline,
    paragraphs: words.advice,
    facts: words.facts,
    link: publicUrl === null || entryId === null ? null : { label: 'The entry', url: linkTo(entryId, publicUrl) },
    footer: [WHY, `Event ${event.id}, channel ${channel.id}`],
    unsubscribe,
  });
}

/** An event's body in words, and the watchlist entry it is about, if any. */
export function toldOf({ type, body }: Pick<Message['event'], 'type' | 'body'>): {
  words: EventWords;
  entryId: string | null;
} {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | ChannelEventData };
  if ('channel_id' in data) return { words: channelWords(data), entryId: null };
  return { words: wordsFor(type, data), entryId: data.entry_id };
}

function linkTo(entryId: string, publicUrl: string): string {
  return `${publicUrl.replace(/\/$/, '')}/v1/watchlist/${entryId}`;
}
