import { Module } from '@nestjs/common';
import { Administration } from './application/administration.js';
import { Authenticate } from './application/authenticate.js';
import { Plans } from './application/plans.js';
import { Accounts } from './domain/account.js';
import { ApiKeys } from './domain/api-key.js';
import { MikroAccounts } from './infrastructure/mikro-accounts.js';
import { MikroApiKeys } from './infrastructure/mikro-api-keys.js';

@Module({
  providers: [
    Administration,
    Authenticate,
    Plans,
    { provide: Accounts, useClass: MikroAccounts },
    { provide: ApiKeys, useClass: MikroApiKeys },
  ],
  exports: [Administration, Authenticate, Plans],
})
export class AuthModule {}
