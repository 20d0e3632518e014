import { Injectable } from '@nestjs/common';
import { findSuffixPosition, isIcannTld, tldOf } from '../domain/name/icann-suffixes.js';
import { type SuffixPosition, PublicSuffixes } from '../domain/name/public-suffixes.js';
import { LookupSources } from './lookup-sources.js';

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
    const tld = tldOf(ascii);
    const role = this.sources.roleFor(tld);
    const isIcann = isIcannTld(ascii);
    if (!isIcann && !role) return { kind: 'unknown_tld' };
    // Delegated: a server may be known for the next request.
    if (isIcann && role !== 'only') void this.sources.discoverServer(tld);
    return findSuffixPosition(ascii, role !== null);
  }
}
