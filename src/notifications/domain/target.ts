import { isIP } from 'node:net';
import { DomainError } from '../../kernel/domain-error.js';
import { isLocalhost, LOOPBACK_ADDRESSES } from '../../kernel/localhost.js';

/** Where a channel's notifications go. */
export interface Target {
  /** The text that the account entered, trimmed. The API shows this text if the target is not secret. */
  readonly asSent: string;
  /** The normalized form, used to find duplicates and to send. */
  readonly canonical: string;
  /** Sending has a concurrency limit per host. Without a host, all channels of the type share a limit. */
  readonly host?: string;
  /** The text that the API shows instead of a secret target. The default is the host. */
  readonly masked?: string;
}

export function maskTarget({ masked, host }: Target): string {
  return masked ?? (host === undefined ? '…' : `${host}/…`);
}

/** The target does not have the form that this type of channel needs. */
export class TargetInvalid extends DomainError {
  constructor(message: string) {
    super('target_invalid', message, { field: 'target' });
  }
}

/** The target is well-formed, but nothing may be sent there. */
export class TargetNotAllowed extends DomainError {
  constructor(message: string) {
    super('target_not_allowed', message, { field: 'target' });
  }
}

/** Decides which ports and addresses webhooks may use. */
export interface WebhookPolicy {
  permitsPort(port: number): boolean;
  /** Checks IP addresses in URLs, and the addresses of host names when connecting, since DNS answers may change. */
  permitsAddress(address: string, port: number): boolean;
  /** True for the public host of this service, and for an address and port where this process listens. */
  isOwn(host: string, port: number): boolean;
}

const MAX_LENGTH = 2_048;
const LOCAL_HINT = 'To develop a receiver on your own machine, use "namewatch webhooks listen".';
/** Matches whitespace, backslashes and invisible characters, which the URL parser would drop or replace. */
const NORMALIZED = /[\s\\\p{C}]/u;
/** Allows underscores, which RFC 952 forbids in host names but some receivers use. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * @throws TargetInvalid for an invalid URL
 * @throws TargetNotAllowed for http:, a user name or password, a forbidden port or address, or this service itself
 */
export function parseWebhookTarget(text: string, policy: WebhookPolicy): Target {
  const asSent = text.trim();
  const url = parseHttpsUrl(asSent);
  const port = url.port === '' ? 443 : Number(url.port);
  if (!policy.permitsPort(port))
    throw new TargetNotAllowed(`Port ${port} is not allowed: webhooks go to 443, or to 1024 and above.`);
  checkHost(url.hostname, port, policy);
  if (url.href.length > MAX_LENGTH) throw tooLong(); // escaping lengthens the URL, and the database index has a limit
  return { asSent, canonical: url.href, host: url.hostname };
}

function parseHttpsUrl(asSent: string): URL {
  if (asSent.length > MAX_LENGTH) throw tooLong();
  const [, scheme, authority = ''] = /^(https?):\/\/([^/?#]+)/i.exec(asSent) ?? [];
  if (!scheme || NORMALIZED.test(asSent) || !URL.canParse(asSent)) throw new TargetInvalid('This is not an HTTPS URL.');
  if (scheme.toLowerCase() === 'http') throw new TargetNotAllowed(`The URL must begin with https://. ${LOCAL_HINT}`);
  if (authority.includes('@')) throw new TargetNotAllowed('A URL with a user name or password is not allowed.');
  const url = new URL(asSent);
  url.hash = ''; // the fragment is never sent, so it must not distinguish targets
  url.hostname = url.hostname.replace(/\.$/, ''); // certificates name hosts without the root dot
  return url;
}

function checkHost(hostname: string, port: number, policy: WebhookPolicy): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses = isLocalhost(hostname) ? LOOPBACK_ADDRESSES : [];
  if ([literal, ...addresses].some((host) => policy.isOwn(host, port)))
    throw new TargetNotAllowed('A webhook cannot target this service itself.');
  if (isIP(literal) > 0) {
    if (policy.permitsAddress(literal, port)) return;
    throw new TargetNotAllowed(
      'This address is not public. WEBHOOK_ALLOW_NETWORKS of the service lists private networks that are allowed.',
    );
  }
  if (!isHostName(hostname)) throw new TargetInvalid('The URL names no valid host.');
  if (isLocalhost(hostname) && !LOOPBACK_ADDRESSES.some((address) => policy.permitsAddress(address, port)))
    throw new TargetNotAllowed(`localhost is not allowed (WEBHOOK_ALLOW_NETWORKS of the service). ${LOCAL_HINT}`);
}

function isHostName(hostname: string): boolean {
  return hostname.length <= 253 && hostname.split('.').every((label) => LABEL.test(label));
}

function tooLong(): TargetInvalid {
  return new TargetInvalid(`A URL has at most ${MAX_LENGTH} characters.`);
}
