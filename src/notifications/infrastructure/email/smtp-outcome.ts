import { outboundErrorOf } from '../../../platform/outbound/outbound-error.js';
import { type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { textOf } from '../channels/webhook-reply.js';

/** What nodemailer says about a mail that did not go out. */
export interface SmtpError {
  readonly code?: unknown;
  /** The code of the socket's or TLS's own error, where `code` says only that there was one. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/** From here on the reply is about the recipient or the message; before, it is about us and the relay. */
const ABOUT_THE_RECIPIENT = new Set<unknown>(['RCPT TO', 'DATA']);
const REFUSED_US = new Set<unknown>(['EAUTH', 'ENOAUTH', 'EOAUTH2']);
const NO_REPLY: Readonly<Record<string, 'timeout' | 'dns' | 'tls' | 'connect'>> = {
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
  EDNS: 'dns',
  EREQUIRETLS: 'tls',
  ESOCKET: 'connect',
  ECONNECTION: 'connect',
  EPROTOCOL: 'connect',
};

/**
 * Sorts a failure of SMTP. 4yz and everything about the connection is tried again; 5yz about the recipient or the
 * message never is (RFC 5321 §4.2.1); 5yz about the sender or the login is the operator's to mend, so it is tried
 * again and counts against nobody's channel.
 * @returns null for an error that no relay made: that is a bug of ours and should propagate.
 */
export function outcomeOfSmtp(error: SmtpError): AttemptOutcome | null {
  const { code, command, responseCode, response } = error;
  if (typeof responseCode === 'number' && ABOUT_THE_RECIPIENT.has(command)) {
    const said = typeof response === 'string' ? textOf(Buffer.from(response)) : null;
    const final = responseCode >= 500;
    return failed('mail_rejected', { responseStatus: responseCode, responseExcerpt: said, final });
  }
  if (code === 'ETLS') return failed('tls', ours); // whatever the relay says instead of STARTTLS
  if (typeof responseCode === 'number') return failed('mail_rejected', { responseStatus: responseCode, ...ours });
  if (REFUSED_US.has(code)) return failed('mail_rejected', ours);
  const unheard = NO_REPLY[String(code)];
  if (!unheard) return null;
  return failed(outboundErrorOf({ code: error.originalCode })?.failure ?? unheard, ours);
}

/** What the relay said to us stays in our log: it may name the operator's accounts and hosts. */
const ours = { fault: 'operator' } as const;
