import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AccountLifecycle, AccountDataRegistry } from './accounts/account-lifecycle.js';
import { AccountUsage } from './accounts/account-usage.js';
import { AccountAdminService } from './accounts/account-admin.service.js';
import { AuditTrail } from './audit/audit-trail.js';
import { AuthFailureLimiter } from './authentication/auth-failure-limiter.js';
import { Authenticator } from './authentication/authenticator.js';
import { IdentityAuthenticator } from './authentication/identity-authenticator.js';
import { LoadPlans, PlanCatalogue } from './plans/plan-catalogue.js';
import { AccountRepository } from './accounts/accounts.repository.js';
import { ApiKeyRepository } from './accounts/api-keys.repository.js';
import { AuditRecordRepository } from './audit/audit-records.repository.js';
import { RequestAuthentication } from './authentication/authentication.js';
import { MinuteLimits } from './authentication/minute-limits.js';
import { RefusedAuthentications } from './authentication/refused-authentications.js';
import { SqlClient } from '../platform/database/sql-client.js';
import { SessionAuthenticator } from './authentication/session-authenticator.js';
import { SessionCookie } from './sessions/session-cookie.js';
import { SessionRepository } from './sessions/sessions.repository.js';
import { InvitationSecrets } from './members/invitation-secrets.js';
import { MemberRepository } from './members/members.repository.js';
import { Members } from './members/members.js';
import { finishDeletions, OLD_AUDIT_RECORDS, reloadPlans } from './auth-tasks.js';

const minuteLimits = {
  provide: MinuteLimits,
  inject: [SqlClient],
  useFactory: (statements: SqlClient) => new MinuteLimits(statements),
};

/** Provides accounts, keys and plans. Authenticates requests in each HTTP application that imports this module. */
@Module({
  providers: [
    AccountLifecycle,
    AccountDataRegistry,
    AccountUsage,
    AccountAdminService,
    AuditTrail,
    Authenticator,
    AuthFailureLimiter,
    IdentityAuthenticator,
    LoadPlans,
    InvitationSecrets,
    MemberRepository,
    Members,
    minuteLimits,
    PlanCatalogue,
    RefusedAuthentications,
    RequestAuthentication,
    SessionAuthenticator,
    SessionCookie,
    SessionRepository,
    AuditRecordRepository,
    AccountRepository,
    ApiKeyRepository,
  ],
  exports: [
    AccountLifecycle,
    AccountDataRegistry,
    AccountUsage,
    AccountRepository,
    AccountAdminService,
    ApiKeyRepository,
    AuditRecordRepository,
    AuditTrail,
    Authenticator,
    AuthFailureLimiter,
    LoadPlans,
    Members,
    minuteLimits,
    PlanCatalogue,
    RefusedAuthentications,
    SessionCookie,
    SessionRepository,
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

/** Finishes interrupted deletions of accounts, and deletes old audit records. Only the role `scheduler` needs this. */
@Module({ imports: [AuthModule], providers: [finishDeletions, OLD_AUDIT_RECORDS] })
export class AccountDeletionModule {}

/** Loads the plans at the start and every minute. Every process needs this, because every process applies limits. */
@Module({ imports: [AuthModule], providers: [reloadPlans] })
export class PlanReloadModule implements OnModuleInit {
  constructor(private readonly plans: LoadPlans) {}

  async onModuleInit(): Promise<void> {
    await this.plans.requirePlans();
  }
}
