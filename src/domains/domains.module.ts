import { Module, type OnModuleInit } from '@nestjs/common';
import { MINUTE, Clock } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { LookupConfig } from '../config/sections.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { CanaryMemoryRepository } from './canaries/canary-memory.repository.js';
import { CanaryWitness } from './canaries/canary-witness.js';
import { LookupRepository } from './lookups/lookups.repository.js';
import { CheckDomain } from './checks/check-domain.js';
import { DomainLookup } from './checks/domain-lookup.js';
import { CheckMany } from './checks/check-many.js';
import { ListRegistries } from './registries/list-registries.js';
import { DropListSource, ListedDrops } from './drop-lists/drop-list-source.js';
import { createZoneWitness, ZoneWitness } from './dns/authoritative-zone-witness.js';
import { PublicSuffixes } from './domain/name/domain-name.js';
import { RegistryLookup } from './domain/lookup/registry-lookup.js';
import { OperatorRateLimits } from './sources/operator-rate-limits.js';
import { lookupGuard, RegistryHttpModule } from './registry-http.module.js';
import { RegistryRateLimiter } from './rate-limiting/registry-rate-limiter.js';
import { RegistryAdmission } from './rate-limiting/registry-admission.js';
import { OperatorRepository } from './rate-limiting/operators.repository.js';
import { RegistryHours } from './sources/registry-hours.repository.js';
import { LookupMetrics, RegistryMetrics } from './sources/registry-metrics.js';
import { FurtherQuestions } from './sources/further-questions.js';
import { PublicSuffixList, LookupSources } from './sources/lookup-sources.js';
import { RdapSource } from './rdap/rdap-source.js';
import { RegistryDocumentStore } from './transport/registry-documents.repository.js';
import { OperatorResolver } from './rate-limiting/operator-resolver.js';
import { ExtensionSources } from './extension-sources/extension-sources.js';
import { SandboxSource } from './sources/sandbox-source.js';
import { DOMAIN_REPAIRS } from './put-back.sql.js';
import { SourceLookup } from './sources/source-lookup.js';
import { WatchlistLink } from './watchlist-link.js';
import { WhoisClient } from './whois/whois-client.js';
import { WhoisSource } from './whois/whois-source.js';
import { WhoisServerDirectory } from './whois/whois-server-directory.js';

/** Tasks that run in every process, whatever its role. */
const DOMAIN_TASKS = [
  oldData({ name: 'lookups', service: LookupRepository, forget: (lookups) => lookups.prune() }),
  oldData({ name: 'dates of WHOIS', service: RegistryDocumentStore, forget: (documents) => documents.forgetDates() }),
  oldData({ name: 'registry hours', service: RegistryHours, forget: (hours) => hours.forget() }),
  periodicTask({
    name: 'write-registry-hours',
    service: RegistryHours,
    intervalMs: MINUTE,
    run: (hours) => hours.write(),
  }),
  periodicTask({
    name: 'refresh-rdap-bootstrap',
    service: RdapBootstrap,
    intervalMs: 15 * MINUTE, // a fetch is due once a day; a failed fetch is retried after this time
    run: (bootstrap) => bootstrap.refreshIfStale(),
  }),
];

const whoisClient = {
  provide: WhoisClient,
  inject: [LookupConfig],
  useFactory: (config: LookupConfig) => new WhoisClient({ guard: lookupGuard(config) }),
};

/** Asks registries about names, and decides whether to believe the answers. The routes are in DomainsApiModule. */
@Module({
  imports: [RegistryHttpModule],
  providers: [
    whoisClient,
    RegistryRateLimiter,
    CanaryWitness,
    CanaryMemoryRepository,
    CheckDomain,
    CheckMany,
    DomainLookup,
    LookupRepository,
    OperatorResolver,
    ListedDrops,
    ListRegistries,
    RdapBootstrap,
    RdapSource,
    SandboxSource,
    ExtensionSources,
    LookupSources,
    SourceLookup,
    OperatorRepository,
    WhoisSource,
    WhoisServerDirectory,
    { provide: ZoneWitness, inject: [LookupConfig, Clock], useFactory: createZoneWitness },
    DropListSource,
    OperatorRateLimits,
    WatchlistLink,
    RegistryHours,
    RegistryMetrics,
    LookupMetrics,
    { provide: PublicSuffixes, useClass: PublicSuffixList },
    RegistryDocumentStore,
    { provide: RegistryAdmission, useExisting: RegistryRateLimiter },
    { provide: RegistryLookup, useClass: FurtherQuestions },
    ...DOMAIN_TASKS,
  ],
  exports: [
    CheckDomain,
    CheckMany,
    DomainLookup,
    DropListSource,
    ListedDrops,
    ListRegistries,
    LookupSources,
    OperatorRateLimits,
    PublicSuffixes,
    WatchlistLink,
    ZoneWitness,
  ],
})
export class DomainsModule implements OnModuleInit {
  constructor(private readonly repair: RepairAfterPutBack) {}

  onModuleInit(): void {
    this.repair.register(...DOMAIN_REPAIRS);
  }
}
