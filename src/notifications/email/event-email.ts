import type { Message } from '../domain/channels/channel-sender.js';
import { describeEvent } from '../domain/events/describe-event.js';
import { type EmailContent, renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

/** null: no link. */
export interface EventEmailLinks {
  readonly publicUrl: string | null;
  /** Whether names have a page there. */
  readonly ui: boolean;
  readonly unsubscribe: string | null;
}

/** At the foot of each mail. */
export const FOOTER_REASON = 'You get this because a Namewatch account sends its notifications to this address.';

export function renderEventEmail(
  { event, channel }: Message,
  { publicUrl, ui, unsubscribe }: EventEmailLinks,
): EmailMessage {
  const { headline, advice, facts, entry } = describeEvent(event);
  const about = [`Event ${event.id}`, `channel ${channel.id}`, ...(entry ? [`entry ${entry.id}`] : [])];
  return renderEmail({
    ...{ headline, paragraphs: advice, facts },
    link: entry && ui ? toDashboardLink(entry.domain, publicUrl) : null,
    command: entry && { label: 'To check the current status', line: toCheckCommand(entry.domain, publicUrl) },
    footer: [FOOTER_REASON, about.join(', ')],
    unsubscribe,
  });
}

/** The page asks for a key, so that the link may be passed on. */
function toDashboardLink(domain: string, publicUrl: string | null): NonNullable<EmailContent['link']> | null {
  if (publicUrl === null) return null;
  return { label: 'Its history and evidence', url: `${publicUrl.replace(/\/+$/, '')}/ui/names/${domain}` };
}

/** For people without the dashboard, and for scripts. The name is in A-labels, which need no shell quoting. */
function toCheckCommand(domain: string, publicUrl: string | null): string {
  return `namewatch check ${domain}${publicUrl === null ? '' : ` --url ${new URL(publicUrl).href}`}`;
}
