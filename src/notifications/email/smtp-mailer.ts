import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { toOutboundError } from '../../platform/outbound/outbound-error.js';
import { type AttemptOutcome, failed, accepted, toExcerpt } from '../domain/attempt.js';
import { MailConfig } from '../../config/sections.js';
import { SECOND } from '../../kernel/clock.js';
import { smtpTransportOptions, redactLogin } from '../../platform/outbound/smtp-relay.js';
import { OutageLog } from '../../platform/logging/outage-log.js';

interface MailFrom {
  readonly name: string;
  readonly address: string;
  readonly domain: string;
}

const DISPLAY_NAME = 'Namewatch';
const NAMED_ADDRESS = /^"?([^"<>]*?)"?\s*<([^<>]*)>$/;
/** Accepts any domain, because a relay in a private network may know domains that are not public. */
const ADDRESS = /^[^\s<>()[\]"',:;@\\\p{C}]+@([^\s<>()[\]"',:;@\\\p{C}]+)$/u;

/**
 * Parses MAIL_FROM: `alerts@example.com`, or `Alerts <alerts@example.com>`.
 * @throws InvalidConfigurationError if the setting has no valid address
 */
export function parseMailFrom(setting: string): MailFrom {
  const [, name = '', address = setting] = NAMED_ADDRESS.exec(setting.trim()) ?? [];
  const [, domain] = ADDRESS.exec(address.trim()) ?? [];
  if (!domain)
    throw new InvalidConfigurationError(['MAIL_FROM must be an address such as "Namewatch <alerts@example.com>"']);
  return { name: name || DISPLAY_NAME, address: address.trim(), domain };
}

/** An error of nodemailer. */
interface SmtpError {
  readonly code?: unknown;
  /** The code of the underlying socket or TLS error, where `code` is generic. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/** Replies to these commands concern the recipient or the message. Replies to earlier commands concern this service. */
const RECIPIENT_COMMANDS = new Set<unknown>(['RCPT TO', 'DATA']);
const LOGIN_ERRORS = new Set<unknown>(['EAUTH', 'ENOAUTH', 'EOAUTH2']);
const CONNECTION_FAILURES: Readonly<Record<string, 'timeout' | 'dns' | 'tls' | 'connect'>> = {
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
  EDNS: 'dns',
  EREQUIRETLS: 'tls',
  ESOCKET: 'connect',
  ECONNECTION: 'connect',
  EPROTOCOL: 'connect',
};

/**
 * Only 5yz replies about the recipient or the message are final (RFC 5321 §4.2.1).
 * @returns null for an unknown error, which is a bug
 */
function toAttemptOutcome(error: SmtpError): AttemptOutcome | null {
  const { code, command, responseCode, response } = error;
  if (typeof responseCode === 'number' && RECIPIENT_COMMANDS.has(command)) {
    const responseExcerpt = typeof response === 'string' ? toExcerpt(Buffer.from(response)) : null;
    const final = responseCode >= 500;
    return failed('mail_rejected', { responseStatus: responseCode, responseExcerpt, final });
  }
  if (code === 'ETLS') return failed('tls', SERVICE_FAULT); // the relay's reply to STARTTLS does not matter
  if (typeof responseCode === 'number')
    return failed('mail_rejected', { responseStatus: responseCode, ...SERVICE_FAULT });
  if (LOGIN_ERRORS.has(code)) return failed('mail_rejected', SERVICE_FAULT);
  const failure = CONNECTION_FAILURES[String(code)];
  if (!failure) return null;
  return failed(toOutboundError({ code: error.originalCode })?.failure ?? failure, SERVICE_FAULT);
}

/**
 * A failure of this service. Its outcome must not quote the relay, whose reply may name internal accounts and hosts.
 */
const SERVICE_FAULT = { fault: 'service' } as const;

/** The longest time of a whole attempt, from connecting to the end of the SMTP session. */
const TIMEOUT_MS = 60 * SECOND;
/** Suppresses automatic replies, by RFC 3834 and by a header for Exchange. */
const AUTOMATED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

export interface EmailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface OutgoingMail extends EmailMessage {
  readonly to: string;
  /** The left part of the Message-ID. A repeated mail has the same id, so that mail systems recognize it. */
  readonly id: string;
  readonly date: Date;
  /** null for a mail without an unsubscribe link. */
  readonly unsubscribe: string | null;
  /** The attempt ends after this time, and after TIMEOUT_MS at the latest. */
  readonly timeoutMs: number;
}

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

  /** Creates the transporter once. If that fails, the next mail tries again. */
  private openTransporter(url: string): Promise<Transporter> {
    this.transporter ??= createTransporter(url).catch((error: unknown) => {
      this.transporter = null;
      throw error;
    });
    return this.transporter;
  }
}

/** Loads nodemailer on first use, because it is large and most processes send no mail. */
async function createTransporter(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(smtpTransportOptions(url));
}

function toNodemailerMessage({ to, id, date, unsubscribe, timeoutMs, ...message }: OutgoingMail, from: MailFrom) {
  return {
    ...message,
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    // Sets the envelope here, so that no header can add or change a recipient.
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${from.domain}>`,
    date,
    headers: { ...AUTOMATED_HEADERS, ...(unsubscribe === null ? {} : unsubscribeHeaders(unsubscribe)) },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.timeout(Math.min(TIMEOUT_MS, timeoutMs)),
  };
}

/** Returns headers for unsubscribing (RFC 2369), also with one click (RFC 8058). */
function unsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
