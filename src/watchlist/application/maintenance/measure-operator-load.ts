import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { OperatorQuotaService } from '../../../domains/index.js';
import { MINUTE, SECOND } from '../../../kernel/clock.js';
import { OperatorLoadRepository } from '../ports/operator-load-repository.js';
import { equilibriumDelay } from '../../domain/policies/operator-load.js';

/** Compares what names want of their operators with what budgets grant, so that entries can tell. */
@Injectable()
export class MeasureOperatorLoad {
  constructor(
    private readonly loads: OperatorLoadRepository,
    private readonly budgets: OperatorQuotaService,
    private readonly config: Config,
  ) {}

  /** Does nothing where somebody did so minutes ago. */
  async run(): Promise<void> {
    const demands = await this.loads.measureDemand();
    if (demands.length === 0) return;
    const byOperator = Map.groupBy(demands, ({ operator }) => operator);
    await this.loads.storeDelays(
      new Map(
        [...byOperator].map(([operator, all]) => [operator, equilibriumDelay(all, this.grantedPerMinute(operator))]),
      ),
    );
  }

  /** Looks in a minute of the watch, which is shorter than one of the clock where time runs faster. */
  private grantedPerMinute(operator: string): number {
    return (this.budgets.ratePerSecond(operator) * (MINUTE / SECOND)) / this.config.timeScale;
  }
}
