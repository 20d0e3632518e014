/** What `localhost` and every name below it stand for, whatever a resolver says (RFC 6761 §6.3). */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

/** @param hostname in lower case, without a root dot */
export function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}
