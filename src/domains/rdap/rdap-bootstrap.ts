import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { isTooDeep } from '../../platform/http/validation/json-depth.js';
import { LookupConfig } from '../../config/sections.js';
import { Clock, DAY, HOUR, SECOND } from '../../kernel/clock.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP } from './rdap-built-in-servers.js';
import { rdapServer, type RdapServer } from './rdap-server.js';
import {
  type RegistryDocument,
  type RegistryDocuments,
  RegistryDocumentStore,
} from '../transport/registry-documents.repository.js';
import { RegistryHttpClient } from '../transport/registry-http-client.js';
import { OutageLog } from '../../platform/logging/outage-log.js';

/** IANA's document has 600 services. A much shorter document is truncated or not IANA's. */
const MIN_SERVICES = 100;

/** The servers of an RFC 9224 document by the domain they serve, almost always a TLD. */
export interface BootstrapServers {
  readonly servers: ReadonlyMap<string, URL>;
  /** Domains whose servers offer only plain http, where anybody could forge answers. */
  readonly insecure: readonly string[];
}

export interface InvalidDocument {
  readonly problem: string;
}

/** Parses a bootstrap document (RFC 9224 §3). One malformed part makes the whole document invalid. */
export function parseBootstrapDocument(body: string): BootstrapServers | InvalidDocument {
  const services = parseServices(body);
  if (!services) return { problem: 'not a bootstrap document (RFC 9224)' };
  if (services.length < MIN_SERVICES) return { problem: `only ${services.length} services` };
  const servers = new Map<string, URL>();
  const insecure: string[] = [];
  for (const [domains, urls] of services) {
    const server = urls.map(httpsBaseUrl).find((base) => base !== null);
    for (const domain of domains.map((each) => each.toLowerCase())) {
      if (server) servers.set(domain, server);
      else insecure.push(domain);
    }
  }
  return { servers, insecure };
}

/**
 * Adds a slash to the end of the base URL (RFC 9224 §3). Without the slash, resolving a path would remove the last
 * segment.
 */
function baseUrl(text: string): URL {
  const url = new URL(text);
  url.pathname = url.pathname.replace(/\/?$/, '/');
  return url;
}

function httpsBaseUrl(text: string): URL | null {
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? baseUrl(text) : null;
}

type Service = readonly [domains: readonly string[], urls: readonly string[]];

function parseServices(body: string): readonly Service[] | null {
  if (isTooDeep(body)) return null;
  try {
    const { services } = JSON.parse(body) as { services?: unknown };
    return Array.isArray(services) && services.every(isService) ? services : null;
  } catch {
    return null; // invalid JSON, or `null`
  }
}

function isService(service: unknown): service is Service {
  return Array.isArray(service) && service.length === 2 && service.every(isTextList);
}

function isTextList(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === 'string');
}

const DOCUMENT_KIND = 'rdap-bootstrap';
const MAX_DOCUMENT_BYTES = 4 * 1_024 * 1_024;
const FETCH_TIMEOUT_MS = 30 * SECOND;

type UrlsByTld = ReadonlyMap<string, URL>;
type ServersByTld = ReadonlyMap<string, RdapServer>;

/**
 * Finds servers in the overrides, then in IANA's bootstrap document (RFC 9224). A built-in table replaces the document
 * until the first fetch.
 */
@Injectable()
export class RdapBootstrap implements OnModuleInit {
  private readonly log = new Logger(RdapBootstrap.name);
  private readonly outageLog = OutageLog.forDependency('The RDAP bootstrap');
  private readonly overrides: ServersByTld;
  private readonly sourceUrl: URL | null;
  private servers: ServersByTld;
  private fetchedAt: Date | null = null;
  private refreshing: Promise<void> | null = null;
  /** Random, so that one of many processes fetches the document first and stores it for the others. */
  private readonly staleAfterMs = DAY + Math.random() * HOUR;

  constructor(
    config: LookupConfig,
    private readonly http: RegistryHttpClient,
    @Inject(RegistryDocumentStore) private readonly store: RegistryDocuments,
    private readonly clock: Clock,
  ) {
    const { rdapBootstrapUrl: bootstrapUrl, rdapOverrides } = config;
    this.sourceUrl = bootstrapUrl === null ? null : new URL(bootstrapUrl);
    this.overrides = toServers(new Map([...rdapOverrides].map(([tld, url]) => [tld, baseUrl(url)])), true);
    this.servers = this.sourceUrl ? withUnlistedServers(BUILT_IN_RDAP_SERVERS) : new Map();
  }

  /** Loads the stored document before the first lookup. Fetching a newer document does not delay the start. */
  async onModuleInit(): Promise<void> {
    if (!this.sourceUrl) return;
    await this.loadStored();
    void this.refreshIfStale();
  }

  serverFor(name: DomainName): RdapServer | null {
    const { registry, tld } = name;
    // The registry of .com does not know the names below `uk.com`, which have their own registry.
    if (registry !== tld) return this.overrides.get(registry) ?? this.servers.get(registry) ?? null;
    return this.overrides.get(tld) ?? this.findLongestMatch(name);
  }

  /** Returns every domain with a server, almost all of them TLDs. */
  allServers(): ReadonlyMap<string, RdapServer> {
    return new Map([...this.servers, ...this.overrides]);
  }

  /** Reads the database first, where another process may have stored a newer document. Never rejects. */
  refreshIfStale(): Promise<void> {
    if (!this.sourceUrl) return Promise.resolve();
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  /** Finds the longest match (RFC 9224 §4): for `example.co.uk`, the server of `co.uk`, or else the server of `uk`. */
  private findLongestMatch({ ascii }: DomainName): RdapServer | null {
    for (let dot = ascii.indexOf('.'); dot >= 0; dot = ascii.indexOf('.', dot + 1)) {
      const server = this.servers.get(ascii.slice(dot + 1));
      if (server) return server;
    }
    return null;
  }

  private async refresh(): Promise<void> {
    if (!this.sourceUrl || !this.isStale()) return;
    await this.loadStored();
    if (this.isStale()) await this.fetch(this.sourceUrl);
  }

  private isStale(): boolean {
    return this.fetchedAt === null || this.clock.now().getTime() - this.fetchedAt.getTime() > this.staleAfterMs;
  }

  private async loadStored(): Promise<void> {
    try {
      const document = await this.store.load(DOCUMENT_KIND);
      if (document && (!this.fetchedAt || document.fetchedAt > this.fetchedAt)) this.adopt(document);
    } catch (error) {
      this.log.warn(`stored RDAP bootstrap could not be read: ${String(error)}`);
    }
  }

  private async fetch(sourceUrl: URL): Promise<void> {
    try {
      const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
      const reply = await this.http.get(sourceUrl, {
        accept: 'application/json',
        maxBytes: MAX_DOCUMENT_BYTES,
        signal,
      });
      if (reply.kind === 'no_response') return this.logNotRefreshed(reply.detail);
      if (reply.status !== 200) return this.logNotRefreshed(`it answered ${reply.status}`);
      const document = { body: new TextDecoder().decode(reply.body), fetchedAt: this.clock.now() };
      if (!this.adopt(document)) return;
      this.outageLog.reportUp();
      await this.store.save(DOCUMENT_KIND, document);
    } catch (error) {
      this.logNotRefreshed(String(error));
    }
  }

  /** Keeps the known servers if the document is invalid. */
  private adopt({ body, fetchedAt }: RegistryDocument): boolean {
    const document = parseBootstrapDocument(body);
    if ('problem' in document) {
      this.logNotRefreshed(document.problem);
      return false;
    }
    this.servers = withUnlistedServers(document.servers);
    this.fetchedAt = fetchedAt;
    const { size } = document.servers;
    this.log.log(`RDAP bootstrap of ${fetchedAt.toISOString()}: ${size} TLDs${insecureNote(document.insecure)}`);
    return true;
  }

  private logNotRefreshed(reason: string): void {
    const kept = this.fetchedAt ? `using the one of ${this.fetchedAt.toISOString()}` : 'using the built-in table';
    this.outageLog.reportDown(`not refreshed, ${kept}: ${reason}`);
  }
}

function withUnlistedServers(servers: UrlsByTld): ServersByTld {
  return toServers(new Map([...RDAP_SERVERS_OUTSIDE_BOOTSTRAP, ...servers]), false);
}

function toServers(urls: UrlsByTld, isOverride: boolean): ServersByTld {
  return new Map([...urls].map(([tld, base]) => [tld, rdapServer(base, isOverride)]));
}

function insecureNote(insecure: readonly string[]): string {
  return insecure.length === 0 ? '' : `; left out (plain http only): ${insecure.join(', ')}`;
}
