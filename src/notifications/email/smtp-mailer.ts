import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { MailConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { smtpTransportOptions, redactLogin } from '../../platform/outbound/smtp-relay.js';
import { accepted, type AttemptOutcome, failed } from '../domain/deliveries/attempt.js';
import { type MailFrom, parseMailFrom } from './mail-from.js';
import { toAttemptOutcome, type SmtpError } from './smtp-outcome.js';
import { toExcerpt } from '../domain/deliveries/excerpt.js';
import { OutageLog } from '../../platform/logging/outage-log.js';

/** For connecting, login and the whole SMTP session together. */
const TIMEOUT_MS = 60 * SECOND;
/** Suppresses automatic replies (RFC 3834; the second header is for Exchange). */
const AUTOMATED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface OutgoingMail extends EmailMessage {
  /** One canonical address. */
  readonly to: string;
  /** The left part of the Message-ID; the same for a repeated mail, so that mail systems recognize it. */
  readonly id: string;
  readonly date: Date;
  /** The unsubscribe URL; null: no link. */
  readonly unsubscribe: string | null;
  /** Upper limit for the attempt, beside TIMEOUT_MS. */
  readonly timeoutMs: number;
}

/** Sends mail through the configured relay, if any. */
@Injectable()
export class SmtpMailer implements OnApplicationShutdown {
  private readonly outage = OutageLog.forDependency('The mail relay');
  private readonly relay: { readonly from: MailFrom; readonly url: string } | null;
  private transporter: Promise<Transporter> | null = null;

  constructor({ smtpUrl, mailFrom }: MailConfig) {
    const configured = smtpUrl !== null && mailFrom !== null;
    this.relay = configured ? { from: parseMailFrom(mailFrom), url: smtpUrl } : null;
  }

  get isConfigured(): boolean {
    return this.relay !== null;
  }

  async send(mail: OutgoingMail): Promise<AttemptOutcome> {
    if (!this.relay) return failed('mail_not_configured', { final: true, fault: 'service' });
    const { from, url } = this.relay;
    const transporter = await this.openTransporter(url);
    try {
      const { response = '250' } = await transporter.sendMail(toNodemailerMessage(mail, from));
      this.outage.reportUp();
      return accepted(Number.parseInt(response, 10), toExcerpt(Buffer.from(response)));
    } catch (error) {
      const outcome = toAttemptOutcome(error as SmtpError);
      if (!outcome) throw error;
      if (outcome.fault === 'service') this.outage.reportDown(redactLogin((error as Error).message, url));
      return outcome;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    (await this.transporter)?.close();
  }

  /** One that could not be made is tried again with the next mail. */
  private openTransporter(url: string): Promise<Transporter> {
    this.transporter ??= createTransporter(url).catch((error: unknown) => {
      this.transporter = null;
      throw error;
    });
    return this.transporter;
  }
}

/** Most processes send no mail, and the library is large. */
async function createTransporter(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(smtpTransportOptions(url));
}

function toNodemailerMessage({ to, id, date, unsubscribe, timeoutMs, ...message }: OutgoingMail, from: MailFrom) {
  return {
    ...message,
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    // Explicit, so that no header can add or change a recipient.
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${from.domain}>`,
    date,
    headers: { ...AUTOMATED_HEADERS, ...(unsubscribe === null ? {} : unsubscribeHeaders(unsubscribe)) },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.timeout(Math.min(TIMEOUT_MS, timeoutMs)),
  };
}

/** RFC 2369, and one-click unsubscription by RFC 8058. */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
