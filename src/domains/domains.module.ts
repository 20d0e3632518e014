import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { LookupConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { RedisConnection } from '../platform/redis/redis-connection.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { AccountLookupCache } from './application/checks/account-lookup-cache.js';
import { CanaryProbe } from './application/canaries/canary-probe.js';
import { RegistryTrust } from './application/canaries/registry-trust.js';
import { CacheInvalidationPoller } from './application/checks/cache-invalidation-poller.js';
import { CheckDomain } from './application/checks/check-domain.js';
import { DomainLookup } from './application/checks/domain-lookup.js';
import { FreshnessPolicy } from './application/checks/freshness-policy.js';
import { RefreshDomain } from './application/checks/refresh-domain.js';
import { CheckMany } from './application/checks/check-many.js';
import { LookupSingleFlight } from './application/checks/lookup-single-flight.js';
import { LookupCompletedListeners } from './application/checks/lookup-completed-listeners.js';
import { ListRegistries } from './application/registries/list-registries.js';
import { SMALL_CAPACITY, LookupCache } from './application/checks/lookup-cache.js';
import { DropListSource } from './application/ports/drop-list-source.js';
import { ListedDrops } from './application/drop-lists/listed-drops.js';
import { HttpDropListSource } from './infrastructure/drop-lists/http-drop-list-source.js';
import { CanaryResultRepository } from './application/ports/canary-result-repository.js';
import { DelegationChecker } from './application/ports/delegation-checker.js';
import { ParentZone } from './application/ports/parent-zone.js';
import { PublicSuffixes } from './domain/name/public-suffixes.js';
import { RegistryLookup } from './application/ports/registry-lookup.js';
import { OperatorQuotaService } from './application/ports/operator-quota-service.js';
import { RegistryDirectory } from './application/ports/registry-directory.js';
import { LookupCoordinator } from './application/ports/lookup-coordinator.js';
import { lookupGuard, RegistryHttpModule } from './registry-http.module.js';
import { DOMAIN_TASKS } from './domain-tasks.js';
import { RegistryRateLimiter } from './infrastructure/rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from './infrastructure/rate-limiting/operator-health-tracker.js';
import { redisTokenBucket } from './infrastructure/rate-limiting/redis-token-bucket.js';
import { RegistryAdmission } from './infrastructure/rate-limiting/registry-admission.js';
import { DistributedSemaphore } from './infrastructure/rate-limiting/distributed-semaphore.js';
import { postgresTokenBucket } from './infrastructure/rate-limiting/postgres-token-bucket.js';
import { PostgresOperatorHealthRepository } from './infrastructure/rate-limiting/postgres-operator-health-repository.js';
import { TokenBuckets } from './infrastructure/rate-limiting/token-buckets.js';
import { LookupMetrics } from './infrastructure/metrics/lookup-metrics.js';
import { RegistryMetrics } from './infrastructure/metrics/registry-metrics.js';
import { createDelegationChecker } from './infrastructure/dns/create-delegation-checker.js';
import { SourceRegistryDirectory } from './infrastructure/registry-directory/source-registry-directory.js';
import { LookupRouter } from './infrastructure/sources/lookup-router.js';
import { PublicSuffixList } from './infrastructure/registry-directory/public-suffix-list.js';
import { RdapBootstrap } from './infrastructure/registry-directory/rdap-bootstrap.js';
import { RdapSource } from './infrastructure/rdap/rdap-source.js';
import { RateLimiterQuotaService } from './infrastructure/rate-limiter-quota-service.js';
import {
  RegistryDocumentStore,
  PostgresRegistryDocumentStore,
} from './infrastructure/registry-directory/registry-document-store.js';
import { OperatorResolver } from './infrastructure/rate-limiting/operator-resolver.js';
import { ExtensionSources } from './infrastructure/sources/extension-sources.js';
import { LookupSources } from './infrastructure/sources/lookup-sources.js';
import { QueryObserver } from './infrastructure/sources/query-observer.js';
import { SandboxSource } from './infrastructure/sources/sandbox-source.js';
import { DOMAIN_REPAIRS } from './infrastructure/put-back.sql.js';
import { SourceLookup } from './infrastructure/sources/source-lookup.js';
import { PostgresCanaryResultRepository } from './infrastructure/postgres-canary-result-repository.js';
import { PostgresLookupCoordinator } from './infrastructure/lookup-cache/postgres-lookup-coordinator.js';
import { WhoisClient } from './infrastructure/whois/whois-client.js';
import { WhoisSource } from './infrastructure/whois/whois-source.js';
import { WhoisServerDirectory } from './infrastructure/registry-directory/whois-server-directory.js';

/** Tokens are counted in Redis if there is one, else in PostgreSQL. */
const tokenBuckets = {
  provide: TokenBuckets,
  inject: [RedisConnection, SqlClient],
  useFactory: ({ client }: RedisConnection, statements: SqlClient) =>
    new TokenBuckets((bucket) => (client ? redisTokenBucket(client, bucket) : postgresTokenBucket(statements, bucket))),
};

const whoisClient = {
  provide: WhoisClient,
  inject: [LookupConfig],
  useFactory: (config: LookupConfig) => new WhoisClient({ guard: lookupGuard(config) }),
};

@Module({})
export class DomainsModule implements OnModuleInit {
  constructor(private readonly repair: RepairAfterPutBack) {}

  static async register(role: ProcessRole): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./http/routes.js') : null;
    return {
      module: DomainsModule,
      imports: [RegistryHttpModule, ...(routes ? [AuthModule] : [])],
      controllers: routes?.controllers ?? [],
      providers: [
        ...(routes?.presenters ?? []),
        tokenBuckets,
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
