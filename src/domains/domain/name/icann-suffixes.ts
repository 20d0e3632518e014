import { parse } from 'tldts';
import { TLD_RULES } from '../tld-rules.js';
import { DomainName, PublicSuffixes, type SuffixPosition } from './domain-name.js';
import { findOpenSuffix } from './open-suffixes.js';

const ICANN_OPTIONS = { extractHostname: false, validateHostname: false, detectIp: false };
const PRIVATE_OPTIONS = { ...ICANN_OPTIONS, allowPrivateDomains: true };

/** Whether the ICANN section of the Public Suffix List has the TLD of this name. */
export function isIcannTld(ascii: string): boolean {
  return parse(ascii, ICANN_OPTIONS).isIcann === true;
}

/**
 * Says where a name stands below ICANN's suffixes, or below open suffixes such as `uk.com` (open-suffixes.ts).
 * @param isServed whether a registry is known for the name
 */
export function findSuffixPosition(ascii: string, isServed: boolean): SuffixPosition {
  const open = findOpenSuffix(ascii);
  if (open !== null) return isServed ? positionBelow(open, ascii) : { kind: 'private_suffix' };
  // For TLDs that the list lacks, its default rule makes the last label the suffix.
  const { domain } = parse(ascii, ICANN_OPTIONS);
  if (domain === null) return { kind: 'public_suffix' };
  if (domain === ascii) return isServed ? { kind: 'registrable' } : { kind: 'unknown_tld' };
  const { isPrivate } = parse(ascii, PRIVATE_OPTIONS);
  if (isPrivate) return { kind: 'private_suffix' };
  const isThirdLevel = TLD_RULES.get(DomainName.restore(ascii).tld)?.registersThirdLevel === true && isServed;
  return isThirdLevel ? positionBelow(domain, ascii) : { kind: 'below', registrable: domain };
}

function positionBelow(suffix: string, ascii: string): SuffixPosition {
  const registrable = ascii
    .split('.')
    .slice(-suffix.split('.').length - 1)
    .join('.');
  return registrable === ascii ? { kind: 'registrable' } : { kind: 'below', registrable };
}

/** Accepts `.test` and every TLD of the Public Suffix List, for commands that do not know which TLDs have servers. */
export class IcannSuffixes extends PublicSuffixes {
  classify(ascii: string): SuffixPosition {
    const isServed = isIcannTld(ascii) || DomainName.restore(ascii).tld === 'test';
    return isServed ? findSuffixPosition(ascii, true) : { kind: 'unknown_tld' };
  }
}

/** TLDs that are older than ICANN and have their own rules. */
const WITHOUT_ICANN_CONTRACT = new Set(['arpa', 'edu', 'gov', 'int', 'mil']);

/**
 * Returns false for country codes (two letters, RFC 1591), and for internationalised TLDs, because some are country
 * codes.
 */
export function isGenericTld(tld: string): boolean {
  if (tld.includes('.') || tld.length === 2 || tld.startsWith('xn--') || WITHOUT_ICANN_CONTRACT.has(tld)) return false;
  return isIcannTld(`nic.${tld}`);
}
