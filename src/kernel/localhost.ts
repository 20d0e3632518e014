/** The addresses of `localhost` and of all names below `localhost`, whatever a resolver says (RFC 6761 §6.3). */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

/** @param hostname in lower case, without a root dot */
export function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** @param hostname of a URL: an IPv6 address is in brackets */
export function isLoopbackHost(hostname: string): boolean {
  return isLocalhost(hostname) || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Whether the connection is encrypted or stays on this machine, so that nobody can read along. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
