import { Injectable } from '@nestjs/common';
import { DomainName, type SuffixPosition, PublicSuffixes } from '../domain/name/domain-name.js';
import { RdapSource } from '../rdap/rdap-source.js';
import { WhoisSource } from '../whois/whois-source.js';
import { ExtensionSources } from '../extension-sources/extension-sources.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';
import type { RegistrySource } from '../transport/registry-source.js';
import { SandboxSource } from './sandbox-source.js';
import { findSuffixPosition, isIcannTld } from '../domain/name/icann-suffixes.js';

/** A TLD, with a source and a server that are asked about names of the TLD. */
export interface ServedTld {
  readonly tld: string;
  readonly source: RegistrySource;
  readonly server: RegistryServer;
}

/** The source of a second query about a name without a record. */
export interface SecondSource {
  readonly source: RegistrySource;
  readonly server: RegistryServer;
  readonly isOtherProtocol: boolean;
}

/** Lists the sources in the order of asking. A failure of RDAP does not lead to WHOIS: RDAP is authoritative. */
@Injectable()
export class LookupSources {
  readonly all: readonly RegistrySource[];

  constructor(
    readonly extensions: ExtensionSources,
    sandbox: SandboxSource,
    private readonly rdap: RdapSource,
    private readonly whois: WhoisSource,
  ) {
    this.all = [...extensions.all, sandbox, rdap, whois];
  }

  /**
   * Returns `only` if any source of the TLD has this role; `first` if all its sources have the role `first`; null if
   * the TLD has no source.
   */
  roleFor(tld: string): RegistrySource['role'] | null {
    const nic = DomainName.restore(`nic.${tld}`);
    let role: RegistrySource['role'] | null = null;
    for (const source of this.all) {
      if (!source.serverFor(nic)) continue;
      if (source.role === 'only') return 'only';
      role = 'first';
    }
    return role;
  }

  /** Returns the server of a source with the role `only`, or else the first source's server; null without one. */
  findKnownServer(name: DomainName): RegistryServer | null {
    let first: RegistryServer | null = null;
    for (const source of this.all) {
      const server = source.serverFor(name);
      if (server && source.role === 'only') return server;
      first ??= server;
    }
    return first;
  }

  /**
   * Returns WHOIS if RDAP was asked first and the TLD has a WHOIS server; in all other cases the first source, on new
   * connections.
   */
  findSecond(name: DomainName, first: RegistrySource['name']): SecondSource | null {
    const whois = first === this.rdap.name ? this.whois.serverFor(name) : null;
    if (whois) return { source: this.whois, server: whois, isOtherProtocol: true };
    const same = this.find(name, first);
    return same && { source: same.source.onNewConnections(), server: same.server, isOtherProtocol: false };
  }

  find(name: DomainName, sourceName: RegistrySource['name']): Pick<SecondSource, 'source' | 'server'> | null {
    const source = this.all.find((one) => one.name === sourceName);
    const server = source?.serverFor(name);
    return source && server ? { source, server } : null;
  }

  /** Returns which sources are asked about names of each TLD, in the order in which they are asked. */
  findServedTlds(): readonly ServedTld[] {
    const served: ServedTld[] = [];
    const final = new Set<string>();
    for (const source of this.all) {
      const added = [...source.servers()].filter(([tld]) => !final.has(tld));
      served.push(...added.map(([tld, server]) => ({ tld, source, server })));
      if (source.role === 'only') added.forEach(([tld]) => final.add(tld));
    }
    return served;
  }

  /** Lets each source find and remember its server for this TLD. Never rejects. */
  async discoverServer(tld: string): Promise<void> {
    await Promise.all(this.all.map((source) => source.discoverServer(tld)));
  }
}

/** A served TLD that the Public Suffix List lacks, such as `.test`, counts as a suffix. */
@Injectable()
export class PublicSuffixList extends PublicSuffixes {
  constructor(private readonly sources: LookupSources) {
    super();
  }

  classify(ascii: string): SuffixPosition {
    const { tld, registry } = DomainName.restore(ascii);
    const role = this.sources.roleFor(registry);
    const isIcann = isIcannTld(ascii);
    if (!isIcann && !role) return { kind: 'unknown_tld' };
    // Looks for a server in the background, so that the next request may find one.
    if (isIcann && role !== 'only' && registry === tld) void this.sources.discoverServer(tld);
    return findSuffixPosition(ascii, role !== null);
  }
}
