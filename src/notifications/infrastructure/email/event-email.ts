import type { Message } from '../../domain/channels/channel-sender.js';
import { describeEvent } from '../../domain/events/describe-event.js';
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
  const { headline, advice, facts, entry } = describeEvent(event);
  const about = [`Event ${event.id}`, `channel ${channel.id}`, ...(entry ? [`entry ${entry.id}`] : [])];
  return renderEmail({
    ...{ headline, paragraphs: advice, facts },
    command: entry && { label: 'To check the current status', line: toCheckCommand(entry.domain, publicUrl) },
    footer: [FOOTER_REASON, about.join(', ')],
    unsubscribe,
  });
}

/** A command, since every link would need a key. The name is in A-labels, which need no shell quoting. */
function toCheckCommand(domain: string, publicUrl: string | null): string {
  return `namewatch check ${domain}${publicUrl === null ? '' : ` --url ${new URL(publicUrl).href}`}`;
}
