import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { oldestOverdueSeconds, ScheduleLagRepository } from './schedule-lag.repository.js';

/** Metrics of how late checks are. */
@Injectable()
export class ScheduleMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly lag: ScheduleLagRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('namewatch_oldest_overdue_seconds', 'How long the most overdue name has been due.', async () => {
      const now = this.clock.now();
      return oldestOverdueSeconds(await this.lag.findOverdue(now), now);
    });
    this.metrics.gauge('namewatch_looks_under_way', 'Names whose check is running, in all processes.', () =>
      this.lag.countInFlight(),
    );
  }
}
