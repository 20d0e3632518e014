import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { PlansConfig } from '../config/sections.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { AccountLifecycle } from './application/account-lifecycle.js';
import { AccountDataRegistry } from './application/account-data-registry.js';
import { AccountUsage } from './application/account-usage.js';
import { AccountAdminService } from './application/account-admin.service.js';
import { AuditTrail } from './application/audit/audit-trail.js';
import { PurgeAuditTrail } from './application/audit/purge-audit-trail.js';
import { ReadAuditTrail } from './application/audit/read-audit-trail.js';
import { Authenticator } from './application/authenticator.js';
import { IdentityAuthenticator } from './application/identity-authenticator.js';
import { FirstAccount } from './application/first-account.js';
import { LoadPlans } from './application/load-plans.js';
import { PlanCatalogue } from './application/plan-catalogue.js';
import { AuditOrigins } from './application/ports/audit-origins.js';
import { EXTENSION_PLAN_SOURCE, type ExtensionPlanSource, PlanSource } from './application/ports/plan-source.js';
import { PruneKeys } from './application/prune-keys.js';
import { AccountRepository } from './domain/account.js';
import { ApiKeyRepository } from './domain/api-key.js';
import { AuditRecordRepository } from './domain/audit/audit-record.js';
import { RequestAuditOrigins } from './http/audit/request-audit-origins.js';
import { RequestAuthentication } from './http/authentication.js';
import { PostgresAuditRecordRepository } from './infrastructure/audit/postgres-audit-record-repository.js';
import { ConfiguredPlanSource } from './infrastructure/configured-plan-source.js';
import { PostgresAccountRepository } from './infrastructure/postgres-account-repository.js';
import { PostgresApiKeyRepository } from './infrastructure/postgres-api-key-repository.js';
import { ValidatedPlanSource } from './infrastructure/validated-plan-source.js';

const planSource = {
  provide: PlanSource,
  inject: [PlansConfig, Metrics, EXTENSION_PLAN_SOURCE],
  useFactory: (config: PlansConfig, metrics: Metrics, added: ExtensionPlanSource | null) =>
    added ? new ValidatedPlanSource(added, config, metrics) : new ConfiguredPlanSource(config),
};

/** Accounts, keys and plans. It authenticates the requests of every HTTP application that imports it. */
@Module({
  providers: [
    AccountLifecycle,
    AccountDataRegistry,
    AccountUsage,
    AccountAdminService,
    AuditTrail,
    PurgeAuditTrail,
    ReadAuditTrail,
    Authenticator,
    FirstAccount,
    IdentityAuthenticator,
    LoadPlans,
    PlanCatalogue,
    PruneKeys,
    RequestAuthentication,
    planSource,
    { provide: AuditOrigins, useClass: RequestAuditOrigins },
    { provide: AuditRecordRepository, useClass: PostgresAuditRecordRepository },
    { provide: AccountRepository, useClass: PostgresAccountRepository },
    { provide: ApiKeyRepository, useClass: PostgresApiKeyRepository },
  ],
  exports: [
    AccountLifecycle,
    AccountDataRegistry,
    AccountUsage,
    AccountRepository,
    AccountAdminService,
    ApiKeyRepository,
    AuditOrigins,
    AuditRecordRepository,
    AuditTrail,
    PurgeAuditTrail,
    ReadAuditTrail,
    Authenticator,
    FirstAccount,
    LoadPlans,
    PlanCatalogue,
    PruneKeys,
    RequestAuthentication,
  ],
})
export class AuthModule implements NestModule, OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly authentication: RequestAuthentication,
    private readonly data: AccountDataRegistry,
    private readonly auditRecords: AuditRecordRepository,
  ) {}

  onModuleInit(): void {
    const deleteBatch = (accountId: string, limit: number) => this.auditRecords.deleteBatch(accountId, limit);
    this.data.add({ name: 'audit records', deleteBatch });
  }

  configure(): void {
    this.authentication.install(this.adapterHost.httpAdapter.getInstance<FastifyInstance>());
  }
}
