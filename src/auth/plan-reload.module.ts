import { Module, type OnModuleInit } from '@nestjs/common';
import { LoadPlans } from './plans/load-plans.js';
import { AuthModule } from './auth.module.js';
import { reloadPlans } from './auth-tasks.js';

/** For every process that runs for long, whatever its role: each applies the limits of plans. */
@Module({ imports: [AuthModule], providers: [reloadPlans] })
export class PlanReloadModule implements OnModuleInit {
  constructor(private readonly plans: LoadPlans) {}

  async onModuleInit(): Promise<void> {
    await this.plans.requirePlans();
  }
}
