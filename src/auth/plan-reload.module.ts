import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module.js';
import { reloadPlans } from './jobs/auth-tasks.js';

/** For every process that runs for long, whatever its role: each applies the limits of plans. */
@Module({ imports: [AuthModule], providers: [reloadPlans] })
export class PlanReloadModule {}
