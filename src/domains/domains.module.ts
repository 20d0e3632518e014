import { type DynamicModule, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Clock } from '../kernel/clock.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { outboundAgent } from '../platform/outbound/outbound-agent.js';
import { RedisConnection } from '../platform/redis/redis-connection.js';
import { Statements } from '../platform/database/sql-client.js';
import { type ProcessRole, serves } from '../config/process-role.js';
import { AccountLooks } from './application/account-looks.js';
import { Canaries } from './application/canaries.js';
import { ChangesElsewhere } from './application/changes-elsewhere.js';
import type { Budgets } from '../config/budgets.js';
import { CheckDomain } from './application/check-domain.js';
import { CheckMany } from './application/check-many.js';
import { JointLooks } from './application/joint-looks.js';
import { LookListeners } from './application/look-listeners.js';
import { Registries } from './application/registries.js';
import { RegistryOutlook } from './application/registry-outlook.js';
import { FEW_NAMES, RecentProofs } from './application/recent-proofs.js';
import { CanaryRecords } from './domain/canary.js';
import { DnsWitness } from './domain/dns-witness.js';
import { PublicSuffixes } from './domain/domain-name.js';
import { RegistryLookup } from './domain/look.js';
import { OperatorBudgets } from './domain/operator-budgets.js';
import { GenericTlds } from './domain/outlook.js';
import { RegistryCoverage } from './domain/registry-coverage.js';
import { SharedLooks } from './domain/shared-looks.js';
import { BulkChecksController } from './http/bulk-checks.controller.js';
import { CheckAnswers } from './http/check-answers.js';
import { ChecksController } from './http/checks.controller.js';
import { RegistriesController } from './http/registries.controller.js';
import { BudgetGate } from './infrastructure/budget/budget-gate.js';
import { OperatorStandings } from './infrastructure/budget/operator-standings.js';
import { redisLimiter } from './infrastructure/budget/redis-limiter.js';
import { RegistryGate } from './infrastructure/budget/registry-gate.js';
import { Slots } from './infrastructure/budget/slots.js';
import { sqlLimiter } from './infrastructure/budget/sql-limiter.js';
import { StandingStatements } from './infrastructure/budget/standing-statements.js';
import { TokenBuckets } from './infrastructure/budget/token-buckets.js';
import { dnsWitnessOf } from './infrastructure/dns/dns-witness-of.js';
import { IcannTlds } from './infrastructure/icann-tlds.js';
import { KnownRegistries } from './infrastructure/known-registries.js';
import { LookupChain } from './infrastructure/lookup-chain.js';
import { PublicSuffixList } from './infrastructure/public-suffix-list.js';
import { RdapBootstrap } from './infrastructure/rdap-bootstrap.js';
import { RdapLookup } from './infrastructure/rdap-lookup.js';
import { RegistryBudgets } from './infrastructure/registry-budgets.js';
import { RegistryDocuments, SqlRegistryDocuments } from './infrastructure/registry-documents.js';
import { RegistryHttp } from './infrastructure/registry-http.js';
import { RegistryOperators } from './infrastructure/registry-operators.js';
import { SandboxLookup } from './infrastructure/sandbox-lookup.js';
import { SqlCanaryRecords } from './infrastructure/sql-canary-records.js';
import { SqlSharedLooks } from './infrastructure/sql-shared-looks.js';
import { WhoisClient } from './infrastructure/whois/whois-client.js';
import { WhoisLookup } from './infrastructure/whois/whois-lookup.js';
import { WhoisServers } from './infrastructure/whois/whois-servers.js';

/** Budgets bound the questions to an operator; a connection more or less must not. */
const CONNECTIONS_PER_SERVER = 8;

const registryHttp = {
  provide: RegistryHttp,
  inject: [Config],
  useFactory: (config: Config) =>
    new RegistryHttp(outboundAgent({ guard: lookupGuard(config), connections: connectionsFor(config.lookup.budgets) })),
};

/** Tokens are counted in Redis where there is one, else in the service's own PostgreSQL. */
const tokenBuckets = {
  provide: TokenBuckets,
  inject: [RedisConnection, Statements],
  useFactory: ({ client }: RedisConnection, statements: Statements) =>
    new TokenBuckets((bucket) => (client ? redisLimiter(client, bucket) : sqlLimiter(statements, bucket))),
};

const whoisClient = {
  provide: WhoisClient,
  inject: [Config],
  useFactory: (config: Config) => new WhoisClient({ guard: lookupGuard(config) }),
};

function lookupGuard({ lookup, nat64Prefixes: nat64 }: Config): AddressGuard {
  return new AddressGuard(lookup.allowNetworks, { nat64 });
}

function connectionsFor({ default: common, own, operators }: Budgets): number {
  return Math.max(CONNECTIONS_PER_SERVER, ...[common, own, ...Object.values(operators)].map((one) => one.concurrency));
}

@Module({})
export class DomainsModule {
  static register(role: ProcessRole): DynamicModule {
    return {
      module: DomainsModule,
      controllers: serves(role, 'api') ? [ChecksController, BulkChecksController, RegistriesController] : [],
      providers: [
        registryHttp,
        tokenBuckets,
        whoisClient,
        AccountLooks,
        BudgetGate,
        Canaries,
        ChangesElsewhere,
        CheckAnswers,
        CheckDomain,
        CheckMany,
        JointLooks,
        LookListeners,
        OperatorStandings,
        RegistryOperators,
        RegistryOutlook,
        Registries,
        RdapBootstrap,
        RdapLookup,
        SandboxLookup,
        Slots,
        StandingStatements,
        WhoisLookup,
        WhoisServers,
        { provide: CanaryRecords, useClass: SqlCanaryRecords },
        { provide: GenericTlds, useClass: IcannTlds },
        { provide: DnsWitness, inject: [Config, Clock], useFactory: dnsWitnessOf },
        { provide: OperatorBudgets, useClass: RegistryBudgets },
        { provide: PublicSuffixes, useClass: PublicSuffixList },
        { provide: RecentProofs, useFactory: () => new RecentProofs(serves(role, 'api') ? undefined : FEW_NAMES) },
        { provide: RegistryCoverage, useClass: KnownRegistries },
        { provide: RegistryDocuments, useClass: SqlRegistryDocuments },
        { provide: RegistryGate, useExisting: BudgetGate },
        { provide: RegistryLookup, useClass: LookupChain },
        { provide: SharedLooks, useClass: SqlSharedLooks },
      ],
      exports: [AccountLooks, Canaries, CheckDomain, LookListeners, OperatorBudgets, RegistryOutlook],
    };
  }
}
