import type { LookupConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { createOutboundAgent } from '../platform/outbound/outbound-agent.js';
import { DomainLookup, LOOKUP_TIMEOUT_MS } from './application/checks/domain-lookup.js';
import { DomainName } from './domain/name/domain-name.js';
import { PublicSuffixes } from './domain/name/public-suffixes.js';
import type { LookupResult } from './domain/lookup/lookup-result.js';
import { rejectOutOfZoneAbsence } from './domain/lookup/registry-zone.js';
import { UnlimitedAdmission } from './infrastructure/rate-limiting/registry-admission.js';
import { createDelegationChecker } from './infrastructure/dns/create-delegation-checker.js';
import { parseMediaType } from './infrastructure/rdap/bounded-http-request.js';
import { LookupRouter } from './infrastructure/lookup-router.js';
import { PublicSuffixList } from './infrastructure/registry-directory/public-suffix-list.js';
import { RdapBootstrap } from './infrastructure/registry-directory/rdap-bootstrap.js';
import { toLookupResult } from './infrastructure/parsed-response.js';
import { RdapLookup } from './infrastructure/rdap/rdap-lookup.js';
import { parseRdapResponse } from './infrastructure/rdap/rdap-response-parser.js';
import { RegistryDocumentStore } from './infrastructure/registry-directory/registry-document-store.js';
import { RegistryHttpClient } from './infrastructure/rdap/registry-http-client.js';
import { SandboxLookup } from './infrastructure/sandbox-lookup.js';
import { WhoisClient } from './infrastructure/whois/whois-client.js';
import { WhoisLookup } from './infrastructure/whois/whois-lookup.js';
import { parseWhoisResponse } from './infrastructure/whois/parsing/whois-response-parser.js';
import { WhoisServerDirectory } from './infrastructure/registry-directory/whois-server-directory.js';

/** A registry's response from a file. */
export interface SavedResponse {
  readonly protocol: 'rdap' | 'whois';
  readonly server: string;
  readonly body: Buffer;
  /** Of RDAP; ignored for WHOIS. */
  readonly httpStatus: number;
  /** The Content-Type; without one a bare 404 proves nothing. */
  readonly mediaType?: string;
}

/** The lookup engine without service, database or cache, for `namewatch explain`. */
export class StandaloneLookup {
  private readonly clock = new SystemClock();
  private readonly http: RegistryHttpClient;
  private readonly bootstrap: RdapBootstrap;
  private readonly suffixes: PublicSuffixes;
  private readonly lookup: DomainLookup;

  constructor(config: LookupConfig) {
    const { clock } = this;
    const guard = new AddressGuard(config.lookup.allowNetworks, { nat64: config.nat64Prefixes });
    const documents = new NullDocumentStore();
    const client = new WhoisClient({ guard });
    const gate = new UnlimitedAdmission();
    const whoisServers = new WhoisServerDirectory(config, client, gate, documents, clock);
    this.http = new RegistryHttpClient(createOutboundAgent({ guard }));
    this.bootstrap = new RdapBootstrap(config, this.http, documents, clock);
    const [rdap, whois] = [new RdapLookup(this.http, gate, clock), new WhoisLookup(client, gate, clock)];
    const sandbox = new SandboxLookup(clock);
    const router = new LookupRouter(config, sandbox, this.bootstrap, rdap, whoisServers, whois, clock);
    this.suffixes = new PublicSuffixList(config, this.bootstrap, whoisServers);
    this.lookup = new DomainLookup(router, createDelegationChecker(config, clock));
  }

  /**
   * A live lookup, as the service would make it.
   * @throws InvalidDomainNameError
   */
  async lookUp(input: string): Promise<LookupResult> {
    await this.bootstrap.refreshIfStale();
    return this.lookup.run(DomainName.parse(input, this.suffixes), LOOKUP_TIMEOUT_MS, { priority: 'check' });
  }

  /**
   * Interprets a response as if the registry of the name had just sent it.
   * @throws InvalidDomainNameError
   */
  interpret(input: string, response: SavedResponse): LookupResult {
    const name = DomainName.parse(input, new AcceptAnySuffix());
    return rejectOutOfZoneAbsence(name, this.interpretResponse(name, response));
  }

  private interpretResponse(
    name: DomainName,
    { protocol, server, body, httpStatus: status, mediaType }: SavedResponse,
  ): LookupResult {
    const observedAt = this.clock.now();
    if (protocol === 'whois') {
      const parsed = parseWhoisResponse(name, body);
      return toLookupResult(parsed, { source: 'whois', server, httpStatus: null, observedAt });
    }
    const type = parseMediaType(mediaType ?? null);
    const reply = { kind: 'reply', status, mediaType: type, location: null, retryAfter: null, body } as const;
    const parsed = parseRdapResponse(name, reply, observedAt);
    return toLookupResult(parsed, { source: 'rdap', server, httpStatus: status, observedAt });
  }

  async close(): Promise<void> {
    await this.http.onApplicationShutdown();
  }
}

class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

class NullDocumentStore extends RegistryDocumentStore {
  load() {
    return Promise.resolve(null);
  }

  save() {
    return Promise.resolve();
  }
}

/** A saved response is interpreted whether or not the name can be registered. */
class AcceptAnySuffix extends PublicSuffixes {
  classify() {
    return { kind: 'registrable' } as const;
  }
}
