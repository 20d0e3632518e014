import type { LookupConfig } from '../config/sections.js';
import { SystemClock } from '../kernel/clock.js';
import { TimeUnits } from '../kernel/time-units.js';
import type { AddressGuard } from '../platform/outbound/address-guard.js';
import { NO_CANARY_MEMORIES } from './canaries/canary-memory.repository.js';
import { CanaryWitness } from './canaries/canary-witness.js';
import { DomainLookup } from './checks/domain-lookup.js';
import { NO_MEMORIES } from './lookups/lookups.repository.js';
import type { LookupSource } from './domain/lookup/lookup-source.js';
import { DomainName, type PublicSuffixes } from './domain/name/domain-name.js';
import { type LookupResult, toLookupResult } from './domain/lookup/lookup-result.js';
import { rejectOutOfZoneAbsence } from './domain/lookup/registry-zone.js';
import { UnlimitedAdmission } from './rate-limiting/registry-admission.js';
import { createZoneWitness } from './dns/authoritative-zone-witness.js';
import { parseMediaType, type RegistryHttpClient } from './transport/registry-http-client.js';
import { PublicSuffixList, LookupSources } from './sources/lookup-sources.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { NO_DOCUMENTS } from './transport/registry-documents.repository.js';
import { WhoisServerDirectory } from './whois/whois-server-directory.js';
import { parseRdapResponse } from './rdap/rdap-response-parser.js';
import { RdapSource } from './rdap/rdap-source.js';
import { checkExtensionSources, ExtensionSources } from './extension-sources/extension-sources.js';
import { FurtherQuestions } from './sources/further-questions.js';
import { SandboxSource } from './sources/sandbox-source.js';
import { SourceLookup } from './sources/source-lookup.js';
import { parseWhoisResponse } from './whois/whois-response-parser.js';
import { WhoisClient } from './whois/whois-client.js';
import { WhoisSource } from './whois/whois-source.js';
import { createRegistryHttp, lookupGuard } from './registry-http.module.js';

/** A registry's response from a file. */
export interface SavedResponse {
  readonly protocol: 'rdap' | 'whois';
  readonly server: string;
  readonly body: Buffer;
  /** Ignored for WHOIS. */
  readonly httpStatus: number;
  /** The Content-Type. An empty 404 counts as "not found" only with the media type of RDAP. */
  readonly mediaType?: string;
}

/** The lookup engine without service, database or cache of answers, for `namewatch explain` and `namewatch doctor`. */
export class StandaloneLookup {
  private readonly clock = new SystemClock();
  private readonly http: RegistryHttpClient;
  private readonly bootstrap: RdapBootstrap;
  private readonly suffixes: PublicSuffixes;
  private readonly lookup: DomainLookup;
  private readonly sources: LookupSources;
  private readonly guard: AddressGuard;

  /** @throws InvalidConfigurationError if a source of an extension cannot be used */
  constructor(config: LookupConfig, extensionSources: readonly LookupSource[] = []) {
    const { clock } = this;
    const guard = (this.guard = lookupGuard(config));
    const admission = new UnlimitedAdmission();
    const client = new WhoisClient({ guard });
    this.http = createRegistryHttp({ guard });
    this.bootstrap = new RdapBootstrap(config, this.http, NO_DOCUMENTS, clock);
    const extensions = new ExtensionSources(extensionSources);
    extensions.assertValid();
    this.sources = new LookupSources(
      extensions,
      new SandboxSource(config, clock),
      new RdapSource(this.bootstrap, this.http, clock),
      new WhoisSource(new WhoisServerDirectory(config, client, admission, NO_DOCUMENTS, clock), client),
    );
    this.suffixes = new PublicSuffixList(this.sources);
    const lookup = new SourceLookup(admission, clock);
    const registry = new FurtherQuestions(this.sources, lookup, NO_DOCUMENTS, clock);
    const zones = createZoneWitness(config, clock);
    const canaries = new CanaryWitness(NO_CANARY_MEMORIES, registry, zones, clock, TimeUnits.REAL);
    this.lookup = new DomainLookup(registry, zones, canaries, NO_MEMORIES, clock);
  }

  /** Looks up a name as the service would. @throws InvalidDomainNameError */
  async lookUp(input: string): Promise<LookupResult> {
    await this.bootstrap.refreshIfStale();
    return this.lookup.forCheck(DomainName.parse(input, this.suffixes));
  }

  /** Interprets a response as if the registry of the name had just sent it. @throws InvalidDomainNameError */
  interpret(input: string, response: SavedResponse): LookupResult {
    const name = DomainName.parseAnySuffix(input); // also accepts names that nobody can register
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

  /** Checks for each source of an extension whether its servers accept connections. */
  checkSources() {
    return checkExtensionSources(this.sources.extensions, this.guard);
  }

  async close(): Promise<void> {
    await this.http.onApplicationShutdown();
  }
}
