import { isIPv6 } from 'node:net';
import { SECOND } from '../../kernel/clock.js';
import { isLoopbackHost } from '../../kernel/localhost.js';
import type { MailConfig } from '../../config/sections.js';

const TIMEOUT_MS = 30 * SECOND;
const MAX_CONNECTIONS = 5;

/**
 * TLS is required except on loopback, or with the URL parameter `requireTLS=false` for a server in the administrator's
 * own network.
 */
export function smtpTransportOptions(url: string) {
  const local = isLoopbackHost(new URL(url).hostname);
  return {
    url,
    pool: true as const,
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: 0, // nodemailer must not retry, because our schedule retries
    requireTLS: !local,
    ...(local ? { tls: { rejectUnauthorized: false } } : {}), // certificates on loopback are self-signed
    dnsTimeout: TIMEOUT_MS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Removes the login from a mail server's message, because some servers repeat the login in plain text or in base64. */
export function redactLogin(text: string, url: string): string {
  const { username, password } = new URL(url);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (secret === '') return text;
  const base64 = (plain: string) => Buffer.from(plain).toString('base64');
  const spellings = [`\0${user}\0${secret}`, secret, user].map(base64);
  return [...spellings, secret, password].reduce((redacted, spelling) => redacted.replaceAll(spelling, '…'), text);
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Returns the base URL for links if PUBLIC_URL is not set. Uses 127.0.0.1 if the service listens on all addresses. */
export function listenerUrl(host: string, port: number): string {
  const reachable = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}${port === 0 ? '' : `:${port}`}`;
}

/** Returns a warning that mails need a PUBLIC_URL for their links, or null if there is no problem. */
export function findMailLinkProblem({ publicUrl, smtpUrl, mailConfirmation, host, port }: MailConfig): string | null {
  if (smtpUrl === null || publicUrl !== null) return null;
  const confirmation = mailConfirmation
    ? `links that confirm an address lead to ${listenerUrl(host, port)}, which recipients elsewhere cannot open; `
    : '';
  return `PUBLIC_URL is not set: ${confirmation}mails have no link to unsubscribe or to the page of the name`;
}
