import { Injectable } from '@nestjs/common';
import { OperatorRateLimits } from '../../domains/index.js';
import { SECOND } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { OperatorRepository } from './operators.repository.js';
import { equilibriumDelay } from '../domain/effective-interval.js';

/** Compares the demand of each operator's names with its budget, so that entries can show the delay. */
@Injectable()
export class MeasureOperatorLoad {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly budgets: OperatorRateLimits,
    private readonly units: TimeUnits,
  ) {}

  /** Skips the run when another process measured minutes ago. */
  async run(): Promise<void> {
    const demands = await this.operators.measureDemand();
    if (demands.length === 0) return;
    const byOperator = Map.groupBy(demands, ({ operator }) => operator);
    await this.operators.storeDelays(
      new Map(
        [...byOperator].map(([operator, all]) => [operator, equilibriumDelay(all, this.grantedPerMinute(operator))]),
      ),
    );
  }

  /** Lookups per minute of the watch; a minute is shorter where time is scaled. */
  private grantedPerMinute(operator: string): number {
    return this.budgets.ratePerSecond(operator) * (this.units.minute / SECOND);
  }
}
