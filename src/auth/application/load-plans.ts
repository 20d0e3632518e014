import { Injectable } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { PlanCatalogue } from './plan-catalogue.js';
import { PlanSource } from './ports/plan-source.js';

/** Loads plans at the start of the service, and again while it runs. */
@Injectable()
export class LoadPlans {
  constructor(
    private readonly catalogue: PlanCatalogue,
    private readonly source: PlanSource,
  ) {}

  /** @throws InvalidConfigurationError: without its plans the service does not start */
  async requirePlans(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      throw new InvalidConfigurationError([(error as Error).message], { cause: error });
    }
  }

  /** Rejects while the source is unusable: the plans of before stay. */
  async run(): Promise<void> {
    this.catalogue.replace(await this.source.load());
  }
}
