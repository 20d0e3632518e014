import { parse } from 'tldts';

/** Older than ICANN, with rules of their own. */
const WITHOUT_ICANN_CONTRACT = new Set(['arpa', 'edu', 'gov', 'int', 'mil']);
const ICANN_SECTION = { extractHostname: false, validateHostname: false, detectIp: false };

/**
 * Whether a TLD is under ICANN's contracts: it is in the ICANN section of the Public Suffix List and no country code of
 * two letters (RFC 1591). False for internationalised TLDs, because the list does not mark which of them are country codes.
 */
export function isGenericTld(tld: string): boolean {
  if (tld.length === 2 || tld.startsWith('xn--') || WITHOUT_ICANN_CONTRACT.has(tld)) return false;
  return parse(`nic.${tld}`, ICANN_SECTION).isIcann === true;
}
