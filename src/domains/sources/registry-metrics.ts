import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';
import { Metrics, type LabelledValue } from '../../platform/metrics/metrics.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { OperatorRepository } from '../rate-limiting/operators.repository.js';
import { RegistryRateLimiter } from '../rate-limiting/registry-rate-limiter.js';
import { RegistryHours } from './registry-hours.repository.js';

interface ObservedQuery {
  /** The name of the source: `rdap`, `whois`, `sandbox`, or the name of an extension's source. */
  readonly protocol: string;
  readonly server: RegistryServer;
  /** `found`, `absent`, `reserved`, a lookup error code, `referral`, or `not_sent_` followed by the reason. */
  readonly outcome: string;
  /** The time from sending to the parsed answer; null if nothing was sent. */
  readonly seconds: number | null;
}

/** This many operators get metric series of their own. They are the first operators that a process asks. */
const MAX_OPERATORS = 200;
const MAX_PROTOCOLS = 10;
const MAX_OUTCOMES = 20;

/** Matches the outcomes that are errors, such as `registry_timeout`. */
const ERROR = /^registry_/;

@Injectable()
export class LookupMetrics {
  private readonly queries;
  private readonly durations;

  constructor(
    private readonly operators: OperatorResolver,
    private readonly hours: RegistryHours,
    metrics: Metrics,
  ) {
    this.queries = metrics.counter('namewatch_lookups_total', 'Queries to registries, with those that were not sent.', {
      operator: MAX_OPERATORS,
      protocol: MAX_PROTOCOLS,
      outcome: MAX_OUTCOMES,
    });
    const help = 'Time from sending a query to a registry to its answer.';
    const labels = { operator: MAX_OPERATORS, protocol: MAX_PROTOCOLS };
    this.durations = metrics.histogram('namewatch_lookup_duration_seconds', help, labels);
  }

  observe({ protocol, server, outcome, seconds }: ObservedQuery): void {
    const operator = this.operators.resolve(server);
    this.queries.increment(operator, protocol, outcome);
    if (seconds === null) return;
    this.durations.observe(seconds, operator, protocol);
    this.hours.note(operator, ERROR.test(outcome), seconds);
  }
}

@Injectable()
export class RegistryMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly operators: OperatorRepository,
    private readonly rateLimiter: RegistryRateLimiter,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge(
      'namewatch_registry_unavailable',
      '1 for each registry operator that is not asked now: it asked for a pause (block), or failed too often (breaker).',
      () => this.unavailable(),
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
      'Queries of this process that wait for the budget of an operator, or for others that run.',
      () => Promise.resolve(this.rateLimiter.waitingQueries()),
    );
  }

  private async unavailable(): Promise<LabelledValue[]> {
    const unhealthy = await this.operators.findUnhealthy();
    return unhealthy.flatMap(({ operator, now, blockedUntil, openBreaker }) => {
      const reasons = [
        ...(blockedUntil !== null && blockedUntil > now ? ['block'] : []),
        ...(openBreaker === null ? [] : ['breaker']),
      ];
      return reasons.map((reason) => ({ labels: { operator, reason }, value: 1 }));
    });
  }
}
