import type { ConfirmationMail } from '../../domain/email/mail-sender.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

export interface ConfirmationEmailLinks {
  readonly confirm: string;
  readonly unsubscribe: string | null;
}

/** Nothing in it was written by the account that asks: whoever gets it may not know it. */
export function renderConfirmationEmail(
  { channel, expiresAt }: ConfirmationMail,
  links: ConfirmationEmailLinks,
): EmailMessage {
  return renderEmail({
    headline: `Do you want news about domain names at ${channel.target}?`,
    paragraphs: [
      'Somebody asked this Namewatch service to send news about domain names to this address.',
      `If it was you, open the link and press the button. The link works once, until ${expiresAt.toISOString()}.`,
      'If it was not you, you need not do anything: no news is sent here unless you agree.',
    ],
    link: { label: 'Yes, send them to me', url: links.confirm },
    footer: [`Channel ${channel.id}`],
    unsubscribe: links.unsubscribe,
  });
}
