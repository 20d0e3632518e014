import { Injectable } from '@nestjs/common';
import { parse } from 'tldts';
import { type SuffixPosition, PublicSuffixes } from '../../domain/name/public-suffixes.js';
import { LookupSources } from '../sources/lookup-sources.js';

const ICANN_OPTIONS = { extractHostname: false, validateHostname: false, detectIp: false };
const PRIVATE_OPTIONS = { ...ICANN_OPTIONS, allowPrivateDomains: true };

/**
 * The ICANN section of the Public Suffix List, for TLDs that a lookup source serves. A TLD that the list lacks (an
 * override's, a newly delegated one, the sandbox's `.test`) is one suffix.
 */
@Injectable()
export class PublicSuffixList extends PublicSuffixes {
  constructor(private readonly sources: LookupSources) {
    super();
  }

  classify(ascii: string): SuffixPosition {
    const tld = ascii.slice(ascii.lastIndexOf('.') + 1);
    const role = this.sources.roleFor(tld);
    // For TLDs that the list lacks, its default rule makes the last label the suffix.
    const { domain, isIcann } = parse(ascii, ICANN_OPTIONS);
    if (!isIcann && !role) return { kind: 'unknown_tld' };
    // Delegated: a server may be known for the next request.
    if (isIcann && role !== 'only') void this.sources.discoverServer(tld);
    if (domain === null) return { kind: 'public_suffix' };
    if (domain === ascii) return role ? { kind: 'registrable' } : { kind: 'unknown_tld' };
    const { isPrivate } = parse(ascii, PRIVATE_OPTIONS);
    return isPrivate ? { kind: 'private_suffix' } : { kind: 'below', registrable: domain };
  }
}
