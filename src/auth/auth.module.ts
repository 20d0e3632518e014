import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { PlansConfig } from '../config/sections.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { AccountLifecycle } from './accounts/account-lifecycle.js';
import { AccountDataRegistry } from './accounts/account-data-registry.js';
import { AccountUsage } from './accounts/account-usage.js';
import { AccountAdminService } from './accounts/account-admin.service.js';
import { AuditTrail } from './audit/audit-trail.js';
import { PurgeAuditTrail } from './audit/purge-audit-trail.js';
import { ReadAuditTrail } from './audit/read-audit-trail.js';
import { Authenticator } from './authentication/authenticator.js';
import { IdentityAuthenticator } from './authentication/identity-authenticator.js';
import { FirstAccount } from './accounts/first-account.js';
import { LoadPlans } from './plans/load-plans.js';
import { PlanCatalogue } from './plans/plan-catalogue.js';
import { AuditOrigins } from './audit/audit-origins.js';
import { EXTENSION_PLAN_SOURCE, type ExtensionPlanSource, PlanSource } from './plans/plan-source.js';
import { PruneKeys } from './keys/prune-keys.js';
import { AccountRepository } from './domain/account.js';
import { ApiKeyRepository } from './domain/api-key.js';
import { AuditRecordRepository } from './domain/audit-record.js';
import { RequestAuditOrigins } from './audit/request-audit-origins.js';
import { RequestAuthentication } from './authentication/authentication.js';
import { PostgresAuditRecordRepository } from './audit/audit-records.repository.js';
import { ConfiguredPlanSource } from './plans/configured-plan-source.js';
import { PostgresAccountRepository } from './accounts/accounts.repository.js';
import { PostgresApiKeyRepository } from './keys/api-keys.repository.js';
import { ValidatedPlanSource } from './plans/validated-plan-source.js';

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
