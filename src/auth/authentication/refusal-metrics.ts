import { Injectable } from '@nestjs/common';
import type { BoundedCounter } from '../../platform/metrics/bounded-metrics.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import type { RefusedAttempt } from '../domain/auth.errors.js';

/** More than there are. */
const MAX_REASONS = 10;

/** Counts refused credentials, whatever is recorded of them in the audit trail. */
@Injectable()
export class RefusalMetrics {
  private readonly refusals: BoundedCounter;

  constructor(metrics: Metrics) {
    const help = 'Requests with a credential that was refused, by why.';
    this.refusals = metrics.counter('namewatch_refused_credentials_total', help, { reason: MAX_REASONS });
  }

  count({ reason }: RefusedAttempt): void {
    this.refusals.increment(reason);
  }
}
