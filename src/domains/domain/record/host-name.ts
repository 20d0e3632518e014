import { toALabels } from '../name/idna.js';

const MAX_HOST_NAME_LENGTH = 253;
/** Underscores are no letters of host names (RFC 1123), but name servers have them. */
const HOST_NAME = /^(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+(?!-)[a-z0-9-]{2,63}(?<!-)$/;
const ADDRESS = /\.\d+$/;

/** The A-label form in lower case without trailing dot; null for anything but a host name, such as an address. */
export function normalizeHostName(text: string): string | null {
  if (text.length > MAX_HOST_NAME_LENGTH + 1) return null;
  const name = /^[\w.-]+$/.test(text) && !/xn--/i.test(text) ? text.toLowerCase() : toALabels(text);
  const host = name?.endsWith('.') ? name.slice(0, -1) : name;
  if (!host || host.length > MAX_HOST_NAME_LENGTH || ADDRESS.test(host)) return null;
  return HOST_NAME.test(host) ? host : null;
}
