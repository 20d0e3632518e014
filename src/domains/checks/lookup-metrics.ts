import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/metrics/metrics.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { type ObservedQuery, QueryObserver } from '../sources/query-observer.js';

/** Operators with series of their own in one process; those that it asks first. */
const MAX_OPERATORS = 200;
const MAX_PROTOCOLS = 10;
const MAX_OUTCOMES = 20;

/** Counts queries to registries. */
@Injectable()
export class LookupMetrics extends QueryObserver {
  private readonly queries;
  private readonly durations;

  constructor(
    private readonly operators: OperatorResolver,
    metrics: Metrics,
  ) {
    super();
    this.queries = metrics.counter('namewatch_lookups_total', 'Queries to registries, with those that were not sent.', {
      ...{ operator: MAX_OPERATORS, protocol: MAX_PROTOCOLS, outcome: MAX_OUTCOMES },
    });
    const help = 'Time from sending a query to a registry to its answer.';
    const labels = { operator: MAX_OPERATORS, protocol: MAX_PROTOCOLS };
    this.durations = metrics.histogram('namewatch_lookup_duration_seconds', help, labels);
  }

  override observe({ protocol, server, outcome, seconds }: ObservedQuery): void {
    const operator = this.operators.resolve(server);
    this.queries.increment(operator, protocol, outcome);
    if (seconds !== null) this.durations.observe(seconds, operator, protocol);
  }
}
