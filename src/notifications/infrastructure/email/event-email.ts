import type { WatchlistEventData } from '../../../watchlist/language.js';
import type { Message } from '../../domain/channels/channel-sender.js';
import { type ChannelEventData, channelWords } from '../../domain/events/channel-event-text.js';
import { type EventWords, wordsFor } from '../../domain/events/event-text.js';
import { letterOf } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** Where people reach this service, and where they end its mail; null: neither is named. */
export interface Links {
  readonly publicUrl: string | null;
  readonly unsubscribe: string | null;
}

/** Why a person gets our mail, at the foot of each. */
export const WHY = 'You get this because a Namewatch account sends its notifications to this address.';

/** One event as a mail. */
export function emailMessage({ event, channel }: Message, { publicUrl, unsubscribe }: Links): EmailMessage {
  const { words, subject } = toldOf(event);
  const about = [`Event ${event.id}`, `channel ${channel.id}`, ...(subject ? [`entry ${subject.entryId}`] : [])];
  return letterOf({
    headline: words.headline,
    paragraphs: words.advice,
    facts: words.facts,
    command: subject && { label: 'To see how it is now', line: checkOf(subject.domain, publicUrl) },
    footer: [WHY, about.join(', ')],
    unsubscribe,
  });
}

/** An event's body in words, and the watchlist entry and name it is about, if any. */
export function toldOf({ type, body }: Pick<Message['event'], 'type' | 'body'>): {
  words: EventWords;
  subject: { readonly entryId: string; readonly domain: string } | null;
} {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | ChannelEventData };
  if ('channel_id' in data) return { words: channelWords(data), subject: null };
  return { words: wordsFor(type, data), subject: { entryId: data.entry_id, domain: data.domain } };
}

/** No link: whatever is behind one asks for a key. The name is in A-labels, which no shell takes for anything else. */
function checkOf(domain: string, publicUrl: string | null): string {
  return `namewatch check ${domain}${publicUrl === null ? '' : ` --url ${new URL(publicUrl).href}`}`;
}
