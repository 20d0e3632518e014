import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MINUTE } from '../../kernel/clock.js';
import { EnforcePlanIntervals } from '../application/maintenance/enforce-plan-intervals.js';

/** Brings plans that changed through to the entries; more than one process may do so at a time. */
@Injectable()
export class PlanTick {
  private readonly log = new Logger(PlanTick.name);
  private running = false;

  constructor(private readonly plans: EnforcePlanIntervals) {}

  @Interval(MINUTE)
  async tick(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      const entries = await this.plans.run();
      if (entries > 0) this.log.log({ entries }, 'held to the plans of today');
    } catch (error) {
      this.log.warn(`the next tick goes on with plans that changed: ${(error as Error).message}`);
    } finally {
      this.running = false;
    }
  }
}
