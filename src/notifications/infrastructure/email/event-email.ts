import type { WatchlistEventData } from '../../../watchlist/language.js';
import type { Message } from '../../domain/channels/channel-sender.js';
import { type ChannelEventData, toChannelEventText } from '../../domain/events/channel-event-text.js';
import { type EventText, toEventText } from '../../domain/events/event-text.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** null: no link. */
export interface EventEmailLinks {
  readonly publicUrl: string | null;
  readonly unsubscribe: string | null;
}

/** At the foot of each mail. */
export const FOOTER_REASON = 'You get this because a Namewatch account sends its notifications to this address.';

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
    command: subject && { label: 'To check the current status', line: toCheckCommand(subject.domain, publicUrl) },
    footer: [FOOTER_REASON, about.join(', ')],
    unsubscribe,
  });
}

/** An event as text, with its watchlist entry, if any. */
export function describeEvent({ type, body }: Pick<Message['event'], 'type' | 'body'>): {
  text: EventText;
  subject: { readonly entryId: string; readonly domain: string } | null;
} {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | ChannelEventData };
  if ('channel_id' in data) return { text: toChannelEventText(data), subject: null };
  return { text: toEventText(type, data), subject: { entryId: data.entry_id, domain: data.domain } };
}

/** A command, since every link would need a key. The name is in A-labels, which need no shell quoting. */
function toCheckCommand(domain: string, publicUrl: string | null): string {
  return `namewatch check ${domain}${publicUrl === null ? '' : ` --url ${new URL(publicUrl).href}`}`;
}
