import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { LookupConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { AccountLookupCache } from './lookup-cache/account-lookup-cache.js';
import { CanaryProbe } from './canaries/canary-probe.js';
import { RegistryTrust } from './canaries/registry-trust.js';
import { CacheInvalidationPoller } from './lookup-cache/cache-invalidation-poller.js';
import { CheckDomain } from './checks/check-domain.js';
import { DomainLookup } from './checks/domain-lookup.js';
import { FreshnessPolicy } from './lookup-cache/freshness-policy.js';
import { RefreshDomain } from './checks/refresh-domain.js';
import { CheckMany } from './checks/check-many.js';
import { LookupSingleFlight } from './checks/lookup-single-flight.js';
import { LookupCompletedListeners } from './checks/lookup-completed-listeners.js';
import { ListRegistries } from './registries/list-registries.js';
import { SMALL_CAPACITY, LookupCache } from './lookup-cache/lookup-cache.js';
import { DropListSource } from './drop-lists/drop-list-source.js';
import { ListedDrops } from './drop-lists/listed-drops.js';
import { HttpDropListSource } from './drop-lists/http-drop-list-source.js';
import { CanaryResultRepository } from './canaries/canary-result-repository.js';
import { DelegationChecker } from './dns/delegation-checker.js';
import { ParentZone } from './dns/parent-zone.js';
import { PublicSuffixes } from './domain/name/public-suffixes.js';
import { RegistryLookup } from './domain/lookup/registry-lookup.js';
import { OperatorQuotaService } from './sources/operator-quota-service.js';
import { RegistryDirectory } from './registries/registry-directory.js';
import { LookupCoordinator } from './lookup-cache/lookup-coordinator.js';
import { lookupGuard, RegistryHttpModule } from './registry-http.module.js';
import { DOMAIN_TASKS } from './domain-tasks.js';
import { RegistryRateLimiter } from './rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from './rate-limiting/operator-health-tracker.js';
import { RegistryAdmission } from './rate-limiting/registry-admission.js';
import { DistributedSemaphore } from './rate-limiting/distributed-semaphore.js';
import { PostgresOperatorHealthRepository } from './rate-limiting/operator-health.repository.js';
import { TokenBuckets } from './rate-limiting/operator-tokens.js';
import { LookupMetrics } from './checks/lookup-metrics.js';
import { RegistryMetrics } from './rate-limiting/registry-metrics.js';
import { createDelegationChecker } from './dns/create-delegation-checker.js';
import { SourceRegistryDirectory } from './registries/source-registry-directory.js';
import { LookupRouter } from './sources/lookup-router.js';
import { PublicSuffixList } from './sources/public-suffix-list.js';
import { RdapBootstrap } from './rdap/rdap-bootstrap.js';
import { RdapSource } from './rdap/rdap-source.js';
import { RateLimiterQuotaService } from './sources/rate-limiter-quota-service.js';
import { RegistryDocumentStore, PostgresRegistryDocumentStore } from './transport/registry-documents.repository.js';
import { OperatorResolver } from './rate-limiting/operator-resolver.js';
import { ExtensionSources } from './extension-sources/extension-sources.js';
import { LookupSources } from './sources/lookup-sources.js';
import { QueryObserver } from './sources/query-observer.js';
import { SandboxSource } from './sources/sandbox-source.js';
import { DOMAIN_REPAIRS } from './put-back.sql.js';
import { SourceLookup } from './sources/source-lookup.js';
import { PostgresCanaryResultRepository } from './canaries/canary-results.repository.js';
import { PostgresLookupCoordinator } from './lookup-cache/lookup-coordinator.repository.js';
import { WhoisClient } from './whois/whois-client.js';
import { WhoisSource } from './whois/whois-source.js';
import { WhoisServerDirectory } from './whois/whois-server-directory.js';

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
        ...(routes?.presenters ?? []),
        TokenBuckets,
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
        LookupCompletedListeners,
        OperatorHealthTracker,
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
        DistributedSemaphore,
        PostgresOperatorHealthRepository,
        WhoisSource,
        WhoisServerDirectory,
        { provide: CanaryResultRepository, useClass: PostgresCanaryResultRepository },
        { provide: DelegationChecker, inject: [LookupConfig, Clock], useFactory: createDelegationChecker },
        { provide: ParentZone, useExisting: DelegationChecker },
        { provide: DropListSource, useClass: HttpDropListSource },
        { provide: OperatorQuotaService, useClass: RateLimiterQuotaService },
        RegistryMetrics,
        { provide: QueryObserver, useClass: LookupMetrics },
        { provide: PublicSuffixes, useClass: PublicSuffixList },
        {
          provide: LookupCache,
          useFactory: () => new LookupCache(includesRole(role, 'api') ? undefined : SMALL_CAPACITY),
        },
        { provide: RegistryDirectory, useClass: SourceRegistryDirectory },
        { provide: RegistryDocumentStore, useClass: PostgresRegistryDocumentStore },
        { provide: RegistryAdmission, useExisting: RegistryRateLimiter },
        { provide: RegistryLookup, useClass: LookupRouter },
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
        LookupCompletedListeners,
        OperatorQuotaService,
        ParentZone,
        RefreshDomain,
        RegistryTrust,
      ],
    };
  }

  onModuleInit(): void {
    this.repair.register(...DOMAIN_REPAIRS);
  }
}
