import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../../config/config.js';
import { Clock, DAY, HOUR, MINUTE, SECOND } from '../../../kernel/clock.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import { baseUrl, parseBootstrapDocument } from './bootstrap-document.js';
import { BUILT_IN_RDAP_SERVERS, RDAP_SERVERS_OUTSIDE_BOOTSTRAP } from './rdap-built-in-servers.js';
import type { RdapServer } from '../rdap/rdap-redirect.js';
import { type RegistryDocument, RegistryDocumentStore } from './registry-document-store.js';
import { RegistryHttpClient } from '../rdap/registry-http-client.js';
import { OutageLog } from '../../../platform/logging/outage-log.js';

const DOCUMENT_KIND = 'rdap-bootstrap';
const MAX_DOCUMENT_BYTES = 4 * 1_024 * 1_024;
const FETCH_TIMEOUT_MS = 30 * SECOND;
/** How often to see whether it is time; also how soon a failed fetch is tried again. */
const REFRESH_CHECK_INTERVAL_MS = 15 * MINUTE;

type ServersByTld = ReadonlyMap<string, URL>;

/**
 * Which RDAP server is authoritative for a name: an override of the operator's, else IANA's bootstrap (RFC 9224),
 * which is fetched daily, shared through the database and used stale when IANA cannot be reached; the built-in table
 * stands in until the first fetch.
 */
@Injectable()
export class RdapBootstrap implements OnModuleInit {
  private readonly log = new Logger(RdapBootstrap.name);
  private readonly outage = OutageLog.forDependency('The RDAP bootstrap');
  private readonly overrides: ServersByTld;
  private readonly source: URL | null;
  private servers: ServersByTld;
  private fetchedAt: Date | null = null;
  private refreshing: Promise<void> | null = null;
  /** Processes that started together do not fetch together: the first one's document serves the others. */
  private readonly staleAfter = DAY + Math.random() * HOUR;

  constructor(
    config: Config,
    private readonly http: RegistryHttpClient,
    private readonly documents: RegistryDocumentStore,
    private readonly clock: Clock,
  ) {
    const { bootstrapUrl, rdapOverrides } = config.lookup;
    this.source = bootstrapUrl === null ? null : new URL(bootstrapUrl);
    this.overrides = new Map([...rdapOverrides].map(([tld, url]) => [tld, baseUrl(url)]));
    this.servers = this.source ? withUnlistedServers(BUILT_IN_RDAP_SERVERS) : new Map();
  }

  /** The stored document is adopted before the first question; fetching a newer one keeps nobody waiting. */
  async onModuleInit(): Promise<void> {
    if (!this.source) return;
    await this.restore();
    void this.refreshIfStale();
  }

  serverFor(name: DomainName): RdapServer | null {
    const override = this.overrides.get(name.tld);
    if (override) return { base: override, isOverride: true };
    const base = parentDomains(name)
      .map((parent) => this.servers.get(parent))
      .find((server) => server !== undefined);
    return base ? { base, isOverride: false } : null;
  }

  /** Every domain that has a server now, almost all of them TLDs. */
  known(): ReadonlyMap<string, RdapServer> {
    const known = new Map<string, RdapServer>();
    for (const [tld, base] of this.servers) known.set(tld, { base, isOverride: false });
    for (const [tld, base] of this.overrides) known.set(tld, { base, isOverride: true });
    return known;
  }

  covers(tld: string): boolean {
    return this.overrides.has(tld) || this.servers.has(tld);
  }

  /** Looks into the database first, where another process may have put a newer document. Never rejects. */
  @Interval(REFRESH_CHECK_INTERVAL_MS)
  refreshIfStale(): Promise<void> {
    if (!this.source) return Promise.resolve();
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = null));
    return this.refreshing;
  }

  private async refresh(): Promise<void> {
    if (!this.source || !this.isStale()) return;
    await this.restore();
    if (this.isStale()) await this.fetch(this.source);
  }

  private isStale(): boolean {
    return this.fetchedAt === null || this.clock.now().getTime() - this.fetchedAt.getTime() > this.staleAfter;
  }

  private async restore(): Promise<void> {
    try {
      const document = await this.documents.load(DOCUMENT_KIND);
      if (document && (!this.fetchedAt || document.fetchedAt > this.fetchedAt)) this.adopt(document);
    } catch (error) {
      this.log.warn(`the stored RDAP bootstrap could not be read: ${String(error)}`);
    }
  }

  private async fetch(source: URL): Promise<void> {
    try {
      const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
      const reply = await this.http.get(source, { accept: 'application/json', limit: MAX_DOCUMENT_BYTES, signal });
      if (reply.kind === 'silence') return this.keep(reply.detail);
      if (reply.status !== 200) return this.keep(`it answered ${reply.status}`);
      const document = { body: new TextDecoder().decode(reply.body), fetchedAt: this.clock.now() };
      if (!this.adopt(document)) return;
      this.outage.reportUp();
      await this.documents.save(DOCUMENT_KIND, document);
    } catch (error) {
      this.keep(String(error));
    }
  }

  /** A broken document replaces nothing. */
  private adopt({ body, fetchedAt }: RegistryDocument): boolean {
    const document = parseBootstrapDocument(body);
    if ('broken' in document) {
      this.keep(document.broken);
      return false;
    }
    this.servers = withUnlistedServers(document.servers);
    this.fetchedAt = fetchedAt;
    const { size } = document.servers;
    this.log.log(`RDAP bootstrap of ${fetchedAt.toISOString()}: ${size} TLDs${insecureNote(document.insecure)}`);
    return true;
  }

  private keep(reason: string): void {
    const kept = this.fetchedAt ? `the one of ${this.fetchedAt.toISOString()} stays` : 'the built-in table stays';
    this.outage.reportDown(`not refreshed, ${kept}: ${reason}`);
  }
}

/** `example.co.uk` is served by the entry for `co.uk`, else by that for `uk` (RFC 9224 §4, longest match). */
function parentDomains({ ascii }: DomainName): string[] {
  const labels = ascii.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}

function withUnlistedServers(servers: ServersByTld): ServersByTld {
  return new Map([...RDAP_SERVERS_OUTSIDE_BOOTSTRAP, ...servers]);
}

function insecureNote(insecure: readonly string[]): string {
  return insecure.length === 0 ? '' : `; plain http only, hence left out: ${insecure.join(', ')}`;
}
