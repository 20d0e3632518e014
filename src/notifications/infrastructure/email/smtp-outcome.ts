import { toOutboundError } from '../../../platform/outbound/outbound-error.js';
import { type AttemptOutcome, failed } from '../../domain/deliveries/attempt.js';
import { toExcerpt } from '../channels/webhook-reply.js';

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
 * Sorts a failure of SMTP. 4yz and everything about the connection is tried again; 5yz about the recipient or the
 * message never is (RFC 5321 §4.2.1); 5yz about the sender or the login is the operator's to mend, so it is tried
 * again and counts against nobody's channel.
 * @returns null for an error that no relay made: that is a bug of ours and should propagate.
 */
export function toAttemptOutcome(error: SmtpError): AttemptOutcome | null {
  const { code, command, responseCode, response } = error;
  if (typeof responseCode === 'number' && RECIPIENT_COMMANDS.has(command)) {
    const responseExcerpt = typeof response === 'string' ? toExcerpt(Buffer.from(response)) : null;
    const final = responseCode >= 500;
    return failed('mail_rejected', { responseStatus: responseCode, responseExcerpt, final });
  }
  if (code === 'ETLS') return failed('tls', SERVICE_FAULT); // whatever the relay says instead of STARTTLS
  if (typeof responseCode === 'number')
    return failed('mail_rejected', { responseStatus: responseCode, ...SERVICE_FAULT });
  if (LOGIN_ERRORS.has(code)) return failed('mail_rejected', SERVICE_FAULT);
  const failure = CONNECTION_FAILURES[String(code)];
  if (!failure) return null;
  return failed(toOutboundError({ code: error.originalCode })?.failure ?? failure, SERVICE_FAULT);
}

/** What the relay said to us stays in our log: it may name the operator's accounts and hosts. */
const SERVICE_FAULT = { fault: 'service' } as const;
