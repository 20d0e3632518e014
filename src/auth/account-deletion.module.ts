import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module.js';
import { AUDIT_PURGE_TASK, finishDeletions } from './auth-tasks.js';

/** For processes that do periodic work; the modules whose data is deleted have to be imported too. */
@Module({ imports: [AuthModule], providers: [finishDeletions, AUDIT_PURGE_TASK] })
export class AccountDeletionModule {}
