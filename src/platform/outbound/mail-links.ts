import { isIPv6 } from 'node:net';
import type { MailConfig } from '../../config/sections.js';

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Where links in mails lead without a PUBLIC_URL: to the listener, on this machine where it listens at every address. */
export function listenerUrl(host: string, port: number): string {
  const reachable = EVERY_ADDRESS.has(host) ? '127.0.0.1' : host;
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}${port === 0 ? '' : `:${port}`}`;
}

/** What becomes of the links in mails because PUBLIC_URL is not set; null where it is, and where no mail is sent. */
export function findMailLinkProblem({ publicUrl, smtpUrl, mailConfirmation, host, port }: MailConfig): string | null {
  if (smtpUrl === null || publicUrl !== null) return null;
  const confirmation = mailConfirmation
    ? `links that confirm an address lead to ${listenerUrl(host, port)}, which recipients elsewhere cannot open; `
    : '';
  return `PUBLIC_URL is not set: ${confirmation}mails have no link to unsubscribe or to the page of the name`;
}
