import type { WatchlistEventData } from '../../../watchlist/language.js';
import type { Message } from '../../domain/channels/channel-sender.js';
import { type ChannelEventData, toChannelEventText } from '../../domain/events/channel-event-text.js';
import { type EventText, toEventText } from '../../domain/events/event-text.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** Where people reach this service, and where they end its mail; null: neither is named. */
export interface EventEmailLinks {
  readonly publicUrl: string | null;
  readonly unsubscribe: string | null;
}

/** Why a person gets our mail, at the foot of each. */
export const FOOTER_REASON = 'You get this because a Namewatch account sends its notifications to this address.';

/** One event as a mail. */
export function renderEventEmail(
  { event, channel }: Message,
  { publicUrl, unsubscribe }: EventEmailLinks,
): EmailMessage {
  const { text: words, subject } = describeEvent(event);
  const about = [`Event ${event.id}`, `channel ${channel.id}`, ...(subject ? [`entry ${subject.entryId}`] : [])];
  return renderEmail({
    headline: words.headline,
    paragraphs: words.advice,
    facts: words.facts,
    command: subject && { label: 'To see how it is now', line: toCheckCommand(subject.domain, publicUrl) },
    footer: [FOOTER_REASON, about.join(', ')],
    unsubscribe,
  });
}

/** An event's body in words, and the watchlist entry and name it is about, if any. */
export function describeEvent({ type, body }: Pick<Message['event'], 'type' | 'body'>): {
  text: EventText;
  subject: { readonly entryId: string; readonly domain: string } | null;
} {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | ChannelEventData };
  if ('channel_id' in data) return { text: toChannelEventText(data), subject: null };
  return { text: toEventText(type, data), subject: { entryId: data.entry_id, domain: data.domain } };
}

/** No link: whatever is behind one asks for a key. The name is in A-labels, which no shell takes for anything else. */
function toCheckCommand(domain: string, publicUrl: string | null): string {
  return `namewatch check ${domain}${publicUrl === null ? '' : ` --url ${new URL(publicUrl).href}`}`;
}
