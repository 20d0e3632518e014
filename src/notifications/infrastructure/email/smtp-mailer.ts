import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { Config } from '../../../config/config.js';
import { SECOND } from '../../../kernel/clock.js';
import { smtpRelay, withoutLogin } from '../../../platform/outbound/smtp-relay.js';
import { accepted, type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { type Mailbox, mailboxOf } from './mail-from.js';
import { outcomeOfSmtp, type SmtpError } from './smtp-outcome.js';
import { textOf } from '../channels/webhook-reply.js';
import { OutageLog } from '../../../platform/logging/outage-log.js';

/** For connecting, login and the whole dialogue together. */
const PATIENCE = 60 * SECOND;
/** Out-of-office programs and their like leave it alone (RFC 3834; the second is what Exchange goes by). */
const FROM_A_MACHINE = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** What a person gets to read. */
export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mail extends EmailMessage {
  /** One canonical address. */
  readonly to: string;
  /** The part of the Message-ID before the @; the same for the same mail, so that a repeat is known as one. */
  readonly id: string;
  readonly date: Date;
  /** Where its reader ends the mails; null: no link. */
  readonly unsubscribe: string | null;
  /** Milliseconds that sending may take, whatever the relay's own patience. */
  readonly deadline: number;
}

/** The operator's mail relay, if there is one. */
@Injectable()
export class MailRelay implements OnApplicationShutdown {
  private readonly outage = OutageLog.of('The mail relay');
  private readonly relay: { readonly transporter: Transporter; readonly from: Mailbox; readonly url: string } | null;

  constructor({ mail }: Config) {
    const configured = mail.smtpUrl !== null && mail.from !== null;
    this.relay = configured
      ? { transporter: createTransport(smtpRelay(mail.smtpUrl)), from: mailboxOf(mail.from), url: mail.smtpUrl }
      : null;
  }

  get isConfigured(): boolean {
    return this.relay !== null;
  }

  async send(mail: Mail): Promise<AttemptOutcome> {
    if (!this.relay) return failed('mail_not_configured', { final: true, fault: 'operator' });
    const { transporter, from, url } = this.relay;
    try {
      const { response = '250' } = await transporter.sendMail(written(mail, from));
      this.outage.back();
      return accepted(Number.parseInt(response, 10), textOf(Buffer.from(response)));
    } catch (error) {
      const outcome = outcomeOfSmtp(error as SmtpError);
      if (!outcome) throw error;
      if (outcome.fault === 'operator') this.outage.away(withoutLogin((error as Error).message, url));
      return outcome;
    }
  }

  onApplicationShutdown(): void {
    this.relay?.transporter.close();
  }
}

function written({ to, id, date, unsubscribe, deadline, ...message }: Mail, from: Mailbox) {
  return {
    ...message,
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    // Said apart from the headers, so that nothing in them can add or change a recipient.
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${from.domain}>`,
    date,
    headers: { ...FROM_A_MACHINE, ...(unsubscribe === null ? {} : oneClick(unsubscribe)) },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.timeout(Math.min(PATIENCE, deadline)),
  };
}

/** RFC 2369 says where, RFC 8058 that a mail program may go there on behalf of its user. */
function oneClick(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
