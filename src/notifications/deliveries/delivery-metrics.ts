import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { Metrics, READ_TIMEOUT_MS } from '../../platform/metrics/metrics.js';
import type { Attempt } from '../domain/attempt.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import type { NotificationEvent } from '../domain/notification-event.js';

/** Reads the partial index of pending deliveries, so finished deliveries do not slow the query. */
const READ_DUE = {
  name: 'metrics_deliveries_due',
  text: `select count(*)::int as due, coalesce(extract(epoch from $1::timestamptz - min(next_attempt_at)), 0)::float8 as age
         from deliveries where state = 'pending' and next_attempt_at <= $1`,
};
/** Limits the values of the metric label `type`, because extensions can add any number of channel types. */
const MAX_TYPES = 30;
const MAX_OUTCOMES = 20;
/** Buckets from an immediate delivery to the last retry, which comes after three days. */
const AGE_BOUNDS_SECONDS = [0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 21_600, 86_400, 259_200];

/** Measures the outcomes and durations of attempts, the ages of their events, and the number of due deliveries. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts;
  private readonly durations;
  private readonly ages;

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const type = MAX_TYPES;
    const labels = { type, outcome: MAX_OUTCOMES };
    this.attempts = metrics.counter('namewatch_delivery_attempts_total', 'Attempts at deliveries that ended.', labels);
    const durationHelp = 'How long attempts at deliveries took.';
    this.durations = metrics.histogram('namewatch_delivery_attempt_duration_seconds', durationHelp, { type });
    const ageHelp = 'How old events were when they were delivered.';
    this.ages = metrics.histogram('namewatch_delivery_age_seconds', ageHelp, { type }, AGE_BOUNDS_SECONDS);
    metrics.gauge('namewatch_deliveries_due', 'Deliveries whose next attempt is due or in progress.', async () => {
      return (await this.readDue()).due;
    });
    const oldestHelp = 'How long the most overdue delivery has been due.';
    metrics.gauge('namewatch_oldest_due_delivery_seconds', oldestHelp, async () => (await this.readDue()).age);
  }

  /** @param endedAt read from the same clock as the event's date */
  observe(
    { channel, event }: { readonly channel: NotificationChannel; readonly event: NotificationEvent },
    attempt: Attempt,
    endedAt: Date,
  ): void {
    const { outcome, durationMs } = attempt;
    this.attempts.increment(channel.type, outcome ?? 'lost');
    this.durations.observe((durationMs ?? 0) / SECOND, channel.type);
    if (outcome !== 'ok') return;
    this.ages.observe(Math.max(0, endedAt.getTime() - event.createdAt.getTime()) / SECOND, channel.type);
  }

  private async readDue(): Promise<{ due: number; age: number }> {
    const [row] = await this.sqlClient.runFullScan<{ due: number; age: number }>(
      READ_DUE,
      [this.clock.now()],
      READ_TIMEOUT_MS,
    );
    return row ?? { due: 0, age: 0 };
  }
}
