import type { PlansConfig } from '../../config/sections.js';
import { PlanSource, type PlansByName } from './plan-source.js';

/** The built-in plans and those of `PLANS_FILE`, which was read with the settings. */
export class ConfiguredPlanSource extends PlanSource {
  constructor(private readonly config: Pick<PlansConfig, 'plans'>) {
    super();
  }

  load(): Promise<PlansByName> {
    return Promise.resolve(this.config.plans);
  }
}
