import { type DynamicModule, Module } from '@nestjs/common';
import { type ProcessRole, includesRole } from '../../config/process-role.js';
import { HealthProbes } from './health-probes.js';

/** Serves health probes and problem pages, which need no key. */
@Module({})
export class PublicRoutesModule {
  static async register(role: ProcessRole): Promise<DynamicModule> {
    return { module: PublicRoutesModule, controllers: includesRole(role, 'api') ? await documented() : [HealthProbes] };
  }
}

async function documented() {
  const { HealthController } = await import('./health.controller.js');
  const { ProblemsController } = await import('./errors/problems.controller.js');
  return [HealthController, ProblemsController];
}
