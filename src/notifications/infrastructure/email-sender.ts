import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { Config } from '../../config.js';
import { SECOND } from '../../kernel/clock.js';
import { accepted, type AttemptOutcome, failed } from '../domain/attempt.js';
import { ChannelSender, type Message } from '../domain/channel-sender.js';
import { emailTarget } from '../domain/email-target.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import type { Target } from '../domain/target.js';
import { emailMessage } from './email-message.js';
import { type Mailbox, mailboxOf } from './mailbox.js';
import { smtpRelay } from './smtp-relay.js';
import { outcomeOfSmtp, type SmtpError } from './smtp-outcome.js';
import { textOf } from './webhook-reply.js';

/** For connecting, login and the whole dialogue together. */
const PATIENCE = 60 * SECOND;

/** Mail by way of the operator's relay. Without one, deliveries say so, and may be replayed once there is one. */
@Injectable()
export class EmailSender extends ChannelSender implements OnApplicationShutdown {
  readonly type = 'email';
  readonly signs = false;
  readonly schedule: RetrySchedule;
  private readonly log = new Logger(EmailSender.name);
  private readonly relay: { readonly transporter: Transporter; readonly from: Mailbox } | null;
  private readonly publicUrl: string | null;

  constructor({ mail, publicUrl, timeScale }: Config) {
    super();
    this.schedule = RetrySchedule.forMail(timeScale);
    this.publicUrl = publicUrl;
    const configured = mail.smtpUrl !== null && mail.from !== null;
    this.relay = configured
      ? { transporter: createTransport(smtpRelay(mail.smtpUrl)), from: mailboxOf(mail.from) }
      : null;
  }

  targetOf(text: string): Target {
    return emailTarget(text);
  }

  async send(message: Message): Promise<AttemptOutcome> {
    if (!this.relay) return failed('mail_not_configured', { final: true, fault: 'operator' });
    const { transporter, from } = this.relay;
    try {
      const { response = '250' } = await transporter.sendMail(this.mailOf(message, from));
      return accepted(Number.parseInt(response, 10), textOf(Buffer.from(response)));
    } catch (error) {
      const outcome = outcomeOfSmtp(error as SmtpError);
      if (!outcome) throw error;
      if (outcome.fault === 'operator')
        this.log.error({ err: error as Error }, 'the mail relay does not take our mail');
      return outcome;
    }
  }

  onApplicationShutdown(): void {
    this.relay?.transporter.close();
  }

  private mailOf(message: Message, from: Mailbox) {
    const { event, channel, attempt, sentAt, deadline } = message;
    return {
      ...emailMessage(message, this.publicUrl),
      from: { name: from.name, address: from.address },
      to: { name: '', address: channel.target },
      // Said apart from the headers, so that nothing in them can add or change a recipient.
      envelope: { from: from.address, to: [channel.target] },
      // Fixed for the event and the channel: a repeat after a lost reply is the same message to mail systems.
      messageId: `<${event.id}.${channel.id}@${from.domain}>`,
      date: attempt === 1 ? event.createdAt : sentAt,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.timeout(Math.min(PATIENCE, deadline)),
    };
  }
}
