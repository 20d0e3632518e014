import { Module } from '@nestjs/common';
import { AccountLifecycle } from './application/account-lifecycle.js';
import { AccountParts } from './application/account-parts.js';
import { AccountUse } from './application/account-usage.js';
import { Administration } from './application/account-admin.service.js';
import { Authenticate } from './application/authenticate.js';
import { FirstAccount } from './application/first-account.js';
import { Plans } from './application/plans.js';
import { PruneKeys } from './application/prune-keys.js';
import { Accounts } from './domain/account.js';
import { ApiKeys } from './domain/api-key.js';
import { MikroAccounts } from './infrastructure/postgres-account-repository.js';
import { MikroApiKeys } from './infrastructure/postgres-api-key-repository.js';

@Module({
  providers: [
    AccountLifecycle,
    AccountParts,
    AccountUse,
    Administration,
    Authenticate,
    FirstAccount,
    Plans,
    PruneKeys,
    { provide: Accounts, useClass: MikroAccounts },
    { provide: ApiKeys, useClass: MikroApiKeys },
  ],
  exports: [
    AccountLifecycle,
    AccountParts,
    AccountUse,
    Accounts,
    Administration,
    ApiKeys,
    Authenticate,
    FirstAccount,
    Plans,
    PruneKeys,
  ],
})
export class AuthModule {}
