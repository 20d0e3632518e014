import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { LookupConfig } from '../config/sections.js';
import { Clock } from '../kernel/clock.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { createOutboundAgent } from '../platform/outbound/outbound-agent.js';
import { RedisConnection } from '../platform/redis/redis-connection.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { AccountLookupCache } from './application/checks/account-lookup-cache.js';
import { CanaryProbe } from './application/canaries/canary-probe.js';
import { CacheInvalidationPoller } from './application/checks/cache-invalidation-poller.js';
import type { Budgets } from '../config/budgets.js';
import { CheckDomain } from './application/checks/check-domain.js';
import { DomainLookup } from './application/checks/domain-lookup.js';
import { FreshnessPolicy } from './application/checks/freshness-policy.js';
import { RefreshDomain } from './application/checks/refresh-domain.js';
import { CheckMany } from './application/checks/check-many.js';
import { LookupSingleFlight } from './application/checks/lookup-single-flight.js';
import { LookupCompletedListeners } from './application/checks/lookup-completed-listeners.js';
import { ListRegistries } from './application/registries/list-registries.js';
import { SMALL_CAPACITY, LookupCache } from './application/checks/lookup-cache.js';
import { CanaryResultRepository } from './application/ports/canary-result-repository.js';
import { DelegationChecker } from './application/ports/delegation-checker.js';
import { PublicSuffixes } from './domain/name/public-suffixes.js';
import { RegistryLookup } from './application/ports/registry-lookup.js';
import { OperatorQuotaService } from './application/ports/operator-quota-service.js';
import { RegistryDirectory } from './application/ports/registry-directory.js';
import { LookupCoordinator } from './application/ports/lookup-coordinator.js';
import { DOMAIN_TASKS } from './domain-tasks.js';
import { BulkChecksController } from './http/bulk-checks.controller.js';
import { CheckResultPresenter } from './http/check-result-presenter.js';
import { ChecksController } from './http/checks.controller.js';
import { RegistriesController } from './http/registries.controller.js';
import { RegistryRateLimiter } from './infrastructure/rate-limiting/registry-rate-limiter.js';
import { OperatorHealthTracker } from './infrastructure/rate-limiting/operator-health-tracker.js';
import { redisTokenBucket } from './infrastructure/rate-limiting/redis-token-bucket.js';
import { RegistryAdmission } from './infrastructure/rate-limiting/registry-admission.js';
import { DistributedSemaphore } from './infrastructure/rate-limiting/distributed-semaphore.js';
import { postgresTokenBucket } from './infrastructure/rate-limiting/postgres-token-bucket.js';
import { PostgresOperatorHealthRepository } from './infrastructure/rate-limiting/postgres-operator-health-repository.js';
import { TokenBuckets } from './infrastructure/rate-limiting/token-buckets.js';
import { createDelegationChecker } from './infrastructure/dns/create-delegation-checker.js';
import { BootstrapRegistryDirectory } from './infrastructure/registry-directory/bootstrap-registry-directory.js';
import { LookupRouter } from './infrastructure/lookup-router.js';
import { PublicSuffixList } from './infrastructure/registry-directory/public-suffix-list.js';
import { RdapBootstrap } from './infrastructure/registry-directory/rdap-bootstrap.js';
import { RdapLookup } from './infrastructure/rdap/rdap-lookup.js';
import { RateLimiterQuotaService } from './infrastructure/rate-limiter-quota-service.js';
import {
  RegistryDocumentStore,
  PostgresRegistryDocumentStore,
} from './infrastructure/registry-directory/registry-document-store.js';
import { RegistryHttpClient } from './infrastructure/rdap/registry-http-client.js';
import { OperatorResolver } from './infrastructure/rate-limiting/operator-resolver.js';
import { SandboxLookup } from './infrastructure/sandbox-lookup.js';
import { PostgresCanaryResultRepository } from './infrastructure/postgres-canary-result-repository.js';
import { PostgresLookupCoordinator } from './infrastructure/lookup-cache/postgres-lookup-coordinator.js';
import { WhoisClient } from './infrastructure/whois/whois-client.js';
import { WhoisLookup } from './infrastructure/whois/whois-lookup.js';
import { WhoisServerDirectory } from './infrastructure/registry-directory/whois-server-directory.js';

/** Budgets limit the queries to an operator; the connections must not. */
const CONNECTIONS_PER_SERVER = 8;

const registryHttp = {
  provide: RegistryHttpClient,
  inject: [LookupConfig],
  useFactory: (config: LookupConfig) =>
    new RegistryHttpClient(
      createOutboundAgent({ guard: lookupGuard(config), connections: connectionsFor(config.lookup.budgets) }),
    ),
};

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

function lookupGuard({ lookup, nat64Prefixes: nat64 }: LookupConfig): AddressGuard {
  return new AddressGuard(lookup.allowNetworks, { nat64 });
}

function connectionsFor({ default: common, privateNetwork: own, operators }: Budgets): number {
  return Math.max(CONNECTIONS_PER_SERVER, ...[common, own, ...Object.values(operators)].map((one) => one.concurrency));
}

@Module({})
export class DomainsModule {
  static register(role: ProcessRole): DynamicModule {
    return {
      module: DomainsModule,
      imports: includesRole(role, 'api') ? [AuthModule] : [],
      controllers: includesRole(role, 'api') ? [ChecksController, BulkChecksController, RegistriesController] : [],
      providers: [
        registryHttp,
        tokenBuckets,
        whoisClient,
        AccountLookupCache,
        RegistryRateLimiter,
        CanaryProbe,
        CacheInvalidationPoller,
        CheckResultPresenter,
        CheckDomain,
        CheckMany,
        DomainLookup,
        FreshnessPolicy,
        LookupSingleFlight,
        LookupCompletedListeners,
        OperatorHealthTracker,
        OperatorResolver,
        ListRegistries,
        RdapBootstrap,
        RefreshDomain,
        RdapLookup,
        SandboxLookup,
        DistributedSemaphore,
        PostgresOperatorHealthRepository,
        WhoisLookup,
        WhoisServerDirectory,
        { provide: CanaryResultRepository, useClass: PostgresCanaryResultRepository },
        { provide: DelegationChecker, inject: [LookupConfig, Clock], useFactory: createDelegationChecker },
        { provide: OperatorQuotaService, useClass: RateLimiterQuotaService },
        { provide: PublicSuffixes, useClass: PublicSuffixList },
        {
          provide: LookupCache,
          useFactory: () => new LookupCache(includesRole(role, 'api') ? undefined : SMALL_CAPACITY),
        },
        { provide: RegistryDirectory, useClass: BootstrapRegistryDirectory },
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
        LookupCompletedListeners,
        OperatorQuotaService,
        RefreshDomain,
      ],
    };
  }
}
