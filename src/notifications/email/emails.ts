import type { InvitationToMail } from '../../auth/index.js';
import type { MailedChannel } from './mail-links.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';
import type { DashboardLinks } from '../../kernel/dashboard-links.js';
import { toInstantText } from '../domain/date-text.js';
import { bundleHeadline } from '../domain/bundle-text.js';
import { describeEvent } from '../domain/event-text.js';
import type { Bundle, Message } from '../domain/channel-sender.js';

interface OwnMailLinks {
  /** The link by which the recipient confirms the address or accepts the invitation. */
  readonly agree: string;
  readonly unsubscribe: string | null;
}

/** Contains no text that the account wrote, because the recipient may be a stranger. */
export function renderConfirmationEmail(
  { channel, expiresAt }: { readonly channel: MailedChannel; readonly expiresAt: Date },
  links: OwnMailLinks,
): EmailMessage {
  return renderEmail({
    headline: `Do you want news about domain names at ${channel.target}?`,
    paragraphs: [
      'Someone asked this Namewatch service to send news about domain names to this address.',
      `If it was you, open the link and press the button. The link works once, until ${toInstantText(expiresAt.toISOString()) ?? ''}.`,
      'If it was not you, you can ignore this mail: no news is sent here unless you agree.',
    ],
    link: { label: 'Yes, send them to me', url: links.agree },
    footer: [`Channel ${channel.id}`],
    unsubscribe: links.unsubscribe,
  });
}

/** Writes an invitation. It contains no text that the account wrote, because the recipient may be a stranger. */
export function renderInvitationEmail({ id, role, expiresAt }: InvitationToMail, links: OwnMailLinks): EmailMessage {
  return renderEmail({
    headline: 'You are invited to look after domain names',
    paragraphs: [
      `Somebody who administers an account of this Namewatch service invites you to it, as ${role === 'viewer' ? 'a' : 'an'} ${role}.`,
      `Open the link, and sign in as who has this address. The link works once, until ${toInstantText(expiresAt.toISOString()) ?? ''}.`,
      'If you did not expect it, you can ignore this mail.',
    ],
    link: { label: 'Accept the invitation', url: links.agree },
    footer: [`Invitation ${id}`],
    unsubscribe: links.unsubscribe,
  });
}

/** null means no link. */
export interface EmailLinks {
  readonly dashboard: DashboardLinks | null;
  readonly unsubscribe: string | null;
}

/** Names the given events in their order, and says how many more there are. */
export function renderBundleEmail(
  { events, total, channel }: Bundle,
  { dashboard, unsubscribe }: EmailLinks,
): EmailMessage {
  const more = total - events.length;
  return renderEmail({
    headline: bundleHeadline(events, total),
    news: [
      ...events.map((event) => ({ headline: describeEvent(event).headline, about: `${toTimeOf(event)}, ${event.id}` })),
      ...(more > 0 ? [{ headline: `and ${more} more`, about: 'The events of the account list them' }] : []),
    ],
    link: dashboard && { label: 'All of your names', url: dashboard.watchlist },
    footer: [FOOTER_REASON, `Channel ${channel.id}`],
    unsubscribe,
  });
}

function toTimeOf({ body }: Message['event']): string {
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  return toInstantText(timestamp) ?? timestamp;
}

const FOOTER_REASON = 'You get this because a Namewatch account sends its notifications to this address.';

export function renderEventEmail({ event, channel }: Message, { dashboard, unsubscribe }: EmailLinks): EmailMessage {
  const { headline, advice, facts, entry } = describeEvent(event);
  const about = [`Event ${event.id}`, `channel ${channel.id}`, ...(entry ? [`entry ${entry.id}`] : [])];
  return renderEmail({
    headline,
    paragraphs: advice,
    facts,
    link: entry && dashboard && { label: 'Its history and evidence', url: dashboard.toName(entry.domain) },
    footer: [FOOTER_REASON, about.join(', ')],
    unsubscribe,
  });
}
