import type { Digest } from '../../domain/email/mail-sender.js';
import { toldOf, WHY } from './event-email.js';
import { letterOf } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** What waited for the end of an hour: every name with what happened to it, oldest first. */
export function digestMessage({ events, channel }: Digest, unsubscribe: string | null): EmailMessage {
  const many = events.length === 1 ? 'One more piece of news' : `${events.length} more pieces of news`;
  return letterOf({
    headline: `${many} of the last hour`,
    paragraphs: ['There was more news in this hour than we send as single mails, so the rest comes in this one.'],
    news: events.map((event) => ({ headline: toldOf(event).words.headline, about: aboutOf(event) })),
    footer: [WHY, `Channel ${channel.id}`],
    unsubscribe,
  });
}

/** When it happened, and under which id programs know it. */
function aboutOf({ id, body }: Digest['events'][number]): string {
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  return `${timestamp}, event ${id}`;
}
