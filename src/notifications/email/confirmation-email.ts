import type { ConfirmationMail } from '../domain/email/mail-sender.js';
import { renderEmail } from './email-template.js';
import type { EmailMessage } from './smtp-mailer.js';

export interface ConfirmationEmailLinks {
  readonly confirm: string;
  readonly unsubscribe: string | null;
}

/** Contains no text of the account: its recipient may not know the account. */
export function renderConfirmationEmail(
  { channel, expiresAt }: ConfirmationMail,
  links: ConfirmationEmailLinks,
): EmailMessage {
  return renderEmail({
    headline: `Do you want news about domain names at ${channel.target}?`,
    paragraphs: [
      'Someone asked this Namewatch service to send news about domain names to this address.',
      `If it was you, open the link and press the button. The link works once, until ${expiresAt.toISOString()}.`,
      'If it was not you, you can ignore this mail: no news is sent here unless you agree.',
    ],
    link: { label: 'Yes, send them to me', url: links.confirm },
    footer: [`Channel ${channel.id}`],
    unsubscribe: links.unsubscribe,
  });
}
