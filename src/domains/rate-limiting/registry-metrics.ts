import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { type LabelledValue, Metrics } from '../../platform/metrics/metrics.js';
import { OperatorHealthTracker } from './operator-health-tracker.js';
import { RegistryRateLimiter } from './registry-rate-limiter.js';

/** Which registries must not be asked now, and how often the others may be. Reads memory only. */
@Injectable()
export class RegistryMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly health: OperatorHealthTracker,
    private readonly rateLimiter: RegistryRateLimiter,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'namewatch_registry_unavailable',
      '1 for each registry operator that is not asked now: it asked for a pause (block), or failed too often (breaker).',
      () => Promise.resolve(this.unavailable()),
      ['operator', 'reason'],
    );
    this.metrics.gauge(
      'namewatch_registry_budget_queries_per_second',
      'Queries that the budget of an operator allows; for operators that this process asked, without unlimited ones.',
      () => Promise.resolve(this.rateLimiter.budgets()),
      'operator',
    );
    this.metrics.gauge(
      'namewatch_registry_waiting_queries',
      'Queries of this process that wait for the budget or a free slot of an operator.',
      () => Promise.resolve(this.rateLimiter.waitingQueries()),
    );
  }

  private unavailable(): LabelledValue[] {
    const now = this.clock.now();
    return [...this.health.unhealthy()].flatMap(([operator, { blockedUntil, openBreaker }]) => {
      const reasons = [
        ...(blockedUntil !== null && blockedUntil > now ? ['block'] : []),
        ...(openBreaker === null ? [] : ['breaker']),
      ];
      return reasons.map((reason) => ({ labels: { operator, reason }, value: 1 }));
    });
  }
}
