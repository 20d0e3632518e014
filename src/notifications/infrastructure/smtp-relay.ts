import { isIP } from 'node:net';
import { SECOND } from '../../kernel/clock.js';

/** A relay that says nothing for this long is not going to. */
const SILENCE = 30 * SECOND;
const CONNECTIONS = 5;

/**
 * How to reach the relay of SMTP_URL. TLS is required, except on loopback, where nobody is in between and certificates
 * are made up; `?requireTLS=false` in the URL lifts it for a relay in the operator's own network.
 */
export function smtpRelay(url: string) {
  const local = isLoopback(new URL(url).hostname);
  return {
    url,
    pool: true as const,
    maxConnections: CONNECTIONS,
    maxRequeues: 0, // one attempt is one dialogue; the schedule repeats it
    requireTLS: !local,
    ...(local ? { tls: { rejectUnauthorized: false } } : {}),
    dnsTimeout: SILENCE,
    connectionTimeout: SILENCE,
    greetingTimeout: SILENCE,
    socketTimeout: SILENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
