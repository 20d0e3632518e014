import type { Digest } from '../domain/digests/digest-sender.js';
import { describeEvent } from '../domain/events/describe-event.js';
import { FOOTER_REASON } from './event-email.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** All events of a digest, in its order. */
export function renderDigestEmail({ events, channel }: Digest, unsubscribe: string | null): EmailMessage {
  const count = events.length === 1 ? 'One more piece of news' : `${events.length} more pieces of news`;
  return renderEmail({
    headline: `${count} of the last hour`,
    paragraphs: [
      'There was more news in this hour than we send as single mails, so the rest comes in this one, what is urgent first.',
    ],
    news: events.map((event) => ({ headline: describeEvent(event).headline, about: toReference(event) })),
    footer: [FOOTER_REASON, `Channel ${channel.id}`],
    unsubscribe,
  });
}

function toReference({ id, body }: Digest['events'][number]): string {
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  return `${timestamp}, event ${id}`;
}
