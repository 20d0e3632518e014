import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { MINUTE, SECOND, Clock } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { CacheInvalidationPoller } from './lookup-cache/cache-invalidation-poller.js';
import { PostgresLookupCoordinator } from './lookup-cache/lookup-coordinator.repository.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { AuthModule } from '../auth/auth.module.js';
import { LookupConfig } from '../config/sections.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { AccountLookupCache, SMALL_CAPACITY, LookupCache, FreshnessPolicy } from './lookup-cache/lookup-cache.js';
import { CanaryProbe } from './canaries/canary-probe.js';
import { RegistryTrust } from './canaries/registry-trust.js';
import { CheckDomain } from './checks/check-domain.js';
import { DomainLookup } from './checks/domain-lookup.js';
import { RefreshDomain } from './checks/refresh-domain.js';
import { CheckMany } from './checks/check-many.js';
import { LookupSingleFlight } from './checks/lookup-single-flight.js';
import { ListRegistries } from './registries/list-registries.js';
import { DropListSource, ListedDrops } from './drop-lists/drop-list-source.js';
import { DelegationChecker, ParentZone } from './dns/parent-zone.js';
import { PublicSuffixes } from './domain/name/domain-name.js';
import { RegistryLookup } from './domain/lookup/registry-lookup.js';
import { OperatorRateLimits } from './sources/operator-rate-limits.js';
import { LookupCoordinator } from './lookup-cache/lookup-coordinator.js';
import { lookupGuard, RegistryHttpModule } from './registry-http.module.js';
import { RegistryRateLimiter } from './rate-limiting/registry-rate-limiter.js';
import { RegistryAdmission } from './rate-limiting/registry-admission.js';
import { OperatorRepository } from './rate-limiting/operators.repository.js';
import { LookupMetrics, RegistryMetrics, QueryObserver } from './sources/registry-metrics.js';
import { createDelegationChecker } from './dns/authoritative-delegation-checker.js';
import { FurtherQuestions } from './sources/further-questions.js';
import { LookupRouter } from './sources/lookup-router.js';
import { PublicSuffixList, LookupSources } from './sources/lookup-sources.js';
import { RdapSource } from './rdap/rdap-source.js';
import { RegistryDocumentStore, PostgresRegistryDocumentStore } from './transport/registry-documents.repository.js';
import { OperatorResolver } from './rate-limiting/operator-resolver.js';
import { ExtensionSources } from './extension-sources/extension-sources.js';
import { SandboxSource } from './sources/sandbox-source.js';
import { DOMAIN_REPAIRS } from './put-back.sql.js';
import { SourceLookup } from './sources/source-lookup.js';
import { CanaryResultRepository } from './canaries/canary-results.repository.js';
import { WatchlistLink } from './watchlist-link.js';
import { WhoisClient } from './whois/whois-client.js';
import { WhoisSource } from './whois/whois-source.js';
import { WhoisServerDirectory } from './whois/whois-server-directory.js';

/** Run in every process, whatever its role. */
const DOMAIN_TASKS = [
  periodicTask({
    name: 'renew-lookup-leases',
    service: PostgresLookupCoordinator,
    intervalMs: SECOND,
    run: (lookups) => lookups.renew(),
  }),
  periodicTask({
    name: 'prune-lookups',
    service: PostgresLookupCoordinator,
    intervalMs: 5 * MINUTE,
    run: (lookups) => lookups.prune(),
  }),
  periodicTask({
    name: 'invalidate-lookup-cache',
    service: CacheInvalidationPoller,
    intervalMs: SECOND,
    run: (poller) => poller.poll(),
  }),
  periodicTask({
    name: 'refresh-rdap-bootstrap',
    service: RdapBootstrap,
    intervalMs: 15 * MINUTE, // a fetch is due once a day, and a failed one is retried after this
    run: (bootstrap) => bootstrap.refreshIfStale(),
  }),
];

const whoisClient = {
  provide: WhoisClient,
  inject: [LookupConfig],
  useFactory: (config: LookupConfig) => new WhoisClient({ guard: lookupGuard(config) }),
};

@Module({})
export class DomainsModule implements OnModuleInit {
  constructor(private readonly repair: RepairAfterPutBack) {}

  static async register(role: ProcessRole): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./routes.js') : null;
    return {
      module: DomainsModule,
      imports: [RegistryHttpModule, ...(routes ? [AuthModule] : [])],
      controllers: routes?.controllers ?? [],
      providers: [
        whoisClient,
        AccountLookupCache,
        RegistryRateLimiter,
        CanaryProbe,
        CacheInvalidationPoller,
        CheckDomain,
        CheckMany,
        DomainLookup,
        FreshnessPolicy,
        LookupSingleFlight,
        OperatorResolver,
        ListedDrops,
        ListRegistries,
        RdapBootstrap,
        RefreshDomain,
        RegistryTrust,
        RdapSource,
        SandboxSource,
        ExtensionSources,
        LookupSources,
        SourceLookup,
        OperatorRepository,
        WhoisSource,
        WhoisServerDirectory,
        CanaryResultRepository,
        { provide: DelegationChecker, inject: [LookupConfig, Clock], useFactory: createDelegationChecker },
        { provide: ParentZone, useExisting: DelegationChecker },
        DropListSource,
        OperatorRateLimits,
        WatchlistLink,
        RegistryMetrics,
        { provide: QueryObserver, useClass: LookupMetrics },
        { provide: PublicSuffixes, useClass: PublicSuffixList },
        {
          provide: LookupCache,
          useFactory: () => new LookupCache(includesRole(role, 'api') ? undefined : SMALL_CAPACITY),
        },
        { provide: RegistryDocumentStore, useClass: PostgresRegistryDocumentStore },
        { provide: RegistryAdmission, useExisting: RegistryRateLimiter },
        LookupRouter,
        { provide: RegistryLookup, useClass: FurtherQuestions },
        PostgresLookupCoordinator,
        { provide: LookupCoordinator, useExisting: PostgresLookupCoordinator },
        ...DOMAIN_TASKS,
      ],
      exports: [
        AccountLookupCache,
        CanaryProbe,
        CheckDomain,
        DropListSource,
        ListedDrops,
        OperatorRateLimits,
        ParentZone,
        RefreshDomain,
        RegistryTrust,
        WatchlistLink,
      ],
    };
  }

  onModuleInit(): void {
    this.repair.register(...DOMAIN_REPAIRS);
  }
}
