import { Injectable } from '@nestjs/common';
import { type DomainName, type SuffixPosition, PublicSuffixes } from '../domain/name/domain-name.js';
import { RdapSource } from '../rdap/rdap-source.js';
import { WhoisSource } from '../whois/whois-source.js';
import { ExtensionSources } from '../extension-sources/extension-sources.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';
import type { RegistrySource } from '../transport/registry-source.js';
import { SandboxSource } from './sandbox-source.js';
import { findSuffixPosition, isIcannTld, registryOf, tldOf } from '../domain/name/icann-suffixes.js';

/** A TLD and the server of a source that is asked about its names. */
export interface ServedTld {
  readonly tld: string;
  readonly source: RegistrySource;
  readonly server: RegistryServer;
}

/** The source of a second answer about an absence. */
export interface SecondSource {
  readonly source: RegistrySource;
  readonly server: RegistryServer;
  readonly isOtherProtocol: boolean;
}

/**
 * Chooses the source for a name, in this order: extensions' sources, the sandbox for `.test`, the registry's RDAP
 * server, and its WHOIS server if it has no RDAP. A failed RDAP query does not fall back to WHOIS, which could only
 * contradict the authority. As a second witness, WHOIS may.
 */
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

  /** Returns `only` if a source's answer is final, `first` if none is, null if no source serves the TLD. */
  roleFor(tld: string): RegistrySource['role'] | null {
    let role: RegistrySource['role'] | null = null;
    for (const source of this.all) {
      if (!source.hasServer(tld)) continue;
      if (source.role === 'only') return 'only';
      role = 'first';
    }
    return role;
  }

  /** Returns the known server whose answer is final, or else the first. Its operator limits routine checks. */
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
   * Returns the source of a second answer: WHOIS after RDAP, otherwise the same source. An extension's source may serve
   * a private zone, about which no public server is asked.
   */
  findSecond(name: DomainName, first: RegistrySource['name']): SecondSource | null {
    const whois = first === this.rdap.name ? this.whois.serverFor(name) : null;
    if (whois) return { source: this.whois, server: whois, isOtherProtocol: true };
    const same = this.find(name, first);
    return same && { source: same.source.onNewConnections(), server: same.server, isOtherProtocol: false };
  }

  /** Returns the source with this name, and its server for the domain name. */
  find(name: DomainName, sourceName: RegistrySource['name']): Pick<SecondSource, 'source' | 'server'> | null {
    const source = this.all.find((one) => one.name === sourceName);
    const server = source?.serverFor(name);
    return source && server ? { source, server } : null;
  }

  /** Returns all sources that are asked about names of each TLD, in order. */
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

  /** Searches a server of a delegated TLD in the background. Never rejects. */
  async discoverServer(tld: string): Promise<void> {
    await Promise.all(this.all.map((source) => source.discoverServer(tld)));
  }
}

/**
 * The ICANN section of the Public Suffix List, for TLDs that a lookup source serves. A TLD that the list lacks (an
 * override's, a new one, or `.test`) counts as one suffix.
 */
@Injectable()
export class PublicSuffixList extends PublicSuffixes {
  constructor(private readonly sources: LookupSources) {
    super();
  }

  classify(ascii: string): SuffixPosition {
    const tld = tldOf(ascii);
    const registry = registryOf(ascii);
    const role = this.sources.roleFor(registry);
    const isIcann = isIcannTld(ascii);
    if (!isIcann && !role) return { kind: 'unknown_tld' };
    // The TLD is delegated, so a server may be known for the next request.
    if (isIcann && role !== 'only' && registry === tld) void this.sources.discoverServer(tld);
    return findSuffixPosition(ascii, role !== null);
  }
}
