import { Injectable } from '@nestjs/common';
import { parse } from 'tldts';
import { LookupConfig } from '../../../config/sections.js';
import { type SuffixPosition, PublicSuffixes } from '../../domain/name/public-suffixes.js';
import { RdapBootstrap } from './rdap-bootstrap.js';
import { WhoisServerDirectory } from './whois-server-directory.js';

const ICANN_OPTIONS = { extractHostname: false, validateHostname: false, detectIp: false };
const PRIVATE_OPTIONS = { ...ICANN_OPTIONS, allowPrivateDomains: true };

/**
 * The ICANN section of the Public Suffix List, for TLDs with a known registry server. A TLD that the list lacks (an
 * override's, a newly delegated one, the sandbox's `.test`) is one suffix.
 */
@Injectable()
export class PublicSuffixList extends PublicSuffixes {
  constructor(
    private readonly config: LookupConfig,
    private readonly bootstrap: RdapBootstrap,
    private readonly whoisServers: WhoisServerDirectory,
  ) {
    super();
  }

  classify(ascii: string): SuffixPosition {
    const tld = ascii.slice(ascii.lastIndexOf('.') + 1);
    const hasRegistryServer = this.hasRegistryServer(tld);
    // For TLDs that the list lacks, its default rule makes the last label the suffix.
    const { domain, isIcann } = parse(ascii, ICANN_OPTIONS);
    if (!isIcann && !hasRegistryServer) return { kind: 'unknown_tld' };
    if (!hasRegistryServer) void this.whoisServers.discover(tld); // delegated: a server may be known for the next request
    if (domain === null) return { kind: 'public_suffix' };
    if (domain === ascii) return hasRegistryServer ? { kind: 'registrable' } : { kind: 'unknown_tld' };
    const { isPrivate } = parse(ascii, PRIVATE_OPTIONS);
    return isPrivate ? { kind: 'private_suffix' } : { kind: 'below', registrable: domain };
  }

  private hasRegistryServer(tld: string): boolean {
    return (this.config.sandbox && tld === 'test') || this.bootstrap.hasServer(tld) || this.whoisServers.hasServer(tld);
  }
}
