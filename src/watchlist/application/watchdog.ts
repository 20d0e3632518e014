import { Injectable } from '@nestjs/common';
import { OperatorBudgets } from '../../domains/index.js';
import { Clock, MINUTE } from '../../kernel/clock.js';
import { ScheduleLag } from '../domain/schedule-lag.js';

/** Work that waits for so long, while a worker completes none, means that the worker is deaf; milliseconds. */
const PATIENCE = MINUTE;

/** Tells a worker that has nothing to do from one that no longer hears its queue. */
@Injectable()
export class Watchdog {
  private completedAt = performance.now();

  constructor(
    private readonly lag: ScheduleLag,
    private readonly budgets: OperatorBudgets,
    private readonly clock: Clock,
  ) {}

  /** This process finished a batch. */
  completed(): void {
    this.completedAt = performance.now();
  }

  /**
   * Whether names wait that may be asked about, and this process has done nothing in all that time. A name that waits
   * for its operator's budget, or for an operator that is left alone, is nobody's fault.
   */
  async isDeaf(): Promise<boolean> {
    if (performance.now() - this.completedAt < PATIENCE) return false;
    const now = this.clock.now();
    const late = (await this.lag.overdue(now)).filter(({ dueSince }) => now.getTime() - dueSince.getTime() > PATIENCE);
    const grants = this.budgets.grantable(
      late.map(({ operator }) => operator),
      1,
    );
    return late.some(({ operator }) => (grants.get(operator)?.tokens ?? 0) > 0);
  }
}
