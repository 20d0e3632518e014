import type { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { createOutboundAgent } from '../platform/outbound/outbound-agent.js';
import { CheckDomain } from './application/checks/check-domain.js';
import { LookupSingleFlight } from './application/checks/lookup-single-flight.js';
import { LookupCompletedListeners } from './application/checks/lookup-completed-listeners.js';
import { AccountLookupCache } from './application/checks/account-lookup-cache.js';
import { LookupCache } from './application/checks/lookup-cache.js';
import { DomainName } from './domain/name/domain-name.js';
import { PublicSuffixes } from './domain/name/public-suffixes.js';
import type { LookupResult } from './domain/lookup/lookup-result.js';
import { LocalLookupCoordinator } from './application/checks/local-lookup-coordinator.js';
import { rejectOutOfZoneAbsence } from './domain/lookup/registry-zone.js';
import { UnlimitedAdmission } from './infrastructure/rate-limiting/registry-admission.js';
import { createDelegationChecker } from './infrastructure/dns/create-delegation-checker.js';
import { parseMediaType } from './infrastructure/rdap/bounded-http-request.js';
import { LookupRouter } from './infrastructure/lookup-router.js';
import { PublicSuffixList } from './infrastructure/registry-directory/public-suffix-list.js';
import { RdapBootstrap } from './infrastructure/registry-directory/rdap-bootstrap.js';
import { RdapLookup, toRdapLookupResult } from './infrastructure/rdap/rdap-lookup.js';
import { parseRdapResponse } from './infrastructure/rdap/rdap-response-parser.js';
import { RegistryDocumentStore } from './infrastructure/registry-directory/registry-document-store.js';
import { RegistryHttpClient } from './infrastructure/rdap/registry-http-client.js';
import { SandboxLookup } from './infrastructure/sandbox-lookup.js';
import { WhoisClient } from './infrastructure/whois/whois-client.js';
import { WhoisLookup, toWhoisLookupResult } from './infrastructure/whois/whois-lookup.js';
import { parseWhoisResponse } from './infrastructure/whois/parsing/whois-response-parser.js';
import { WhoisServerDirectory } from './infrastructure/registry-directory/whois-server-directory.js';

/** An answer that somebody kept. */
export interface SavedResponse {
  readonly protocol: 'rdap' | 'whois';
  readonly server: string;
  readonly body: Buffer;
  /** RDAP's; WHOIS has none. */
  readonly httpStatus: number;
  /** Its Content-Type; without one a bare 404 proves nothing. */
  readonly mediaType?: string;
}

/** The lookup engine by itself: no service, no database, nothing kept. For people who want to know why. */
export class StandaloneLookup {
  private readonly clock = new SystemClock();
  private readonly http: RegistryHttpClient;
  private readonly bootstrap: RdapBootstrap;
  private readonly checks: CheckDomain;

  constructor(config: Config) {
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
    const chain = new LookupRouter(config, sandbox, this.bootstrap, rdap, whoisServers, whois, clock);
    const suffixes = new PublicSuffixList(config, this.bootstrap, whoisServers);
    const delegationChecker = createDelegationChecker(config, clock);
    const cache = new LookupCache();
    const sharing = [
      cache,
      new LookupSingleFlight(new LocalLookupCoordinator(), clock),
      new LookupCompletedListeners(),
    ] as const;
    this.checks = new CheckDomain(
      config,
      suffixes,
      chain,
      delegationChecker,
      ...sharing,
      clock,
      new AccountLookupCache(cache),
    );
  }

  /**
   * Asks live, as the service would.
   * @throws InvalidDomainNameError
   */
  async lookUp(input: string): Promise<LookupResult> {
    await this.bootstrap.refreshIfStale();
    return this.checks.lookUp(this.checks.parse(input));
  }

  /**
   * Reads an answer as if the server of the name's registry had just given it.
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
    const now = this.clock.now();
    if (protocol === 'whois') return toWhoisLookupResult(parseWhoisResponse(name, body), server, now);
    const type = parseMediaType(mediaType ?? null);
    const reply = { kind: 'reply', status, mediaType: type, location: null, retryAfter: null, body } as const;
    return toRdapLookupResult(parseRdapResponse(name, reply, now), server, status, now);
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

/** Whoever has an answer about a name in hand need not prove that it could be registered. */
class AcceptAnySuffix extends PublicSuffixes {
  classify() {
    return { kind: 'registrable' } as const;
  }
}
