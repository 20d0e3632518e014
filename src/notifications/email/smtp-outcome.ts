import { toOutboundError } from '../../platform/outbound/outbound-error.js';
import { type AttemptOutcome, failed } from '../domain/deliveries/attempt.js';
import { toExcerpt } from '../domain/deliveries/excerpt.js';

/** An error of nodemailer. */
export interface SmtpError {
  readonly code?: unknown;
  /** The code of the underlying socket or TLS error, where `code` is generic. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/** Replies to these commands are about the recipient or the message; earlier ones are about this service. */
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
 * 4yz replies and connection errors are retried; 5yz replies about the recipient or the message are final (RFC 5321
 * §4.2.1); 5yz replies about the sender or the login are retried and do not count against the channel: the
 * administrator has to fix them.
 * @returns null for any other error: a bug, which should propagate
 */
export function toAttemptOutcome(error: SmtpError): AttemptOutcome | null {
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

/** No excerpt for the account: the relay's reply may name internal accounts and hosts. */
const SERVICE_FAULT = { fault: 'service' } as const;
