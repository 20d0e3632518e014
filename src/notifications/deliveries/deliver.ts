import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { LeaseConfig } from '../../config/sections.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { type Span, Tracer } from '../../kernel/tracing/tracer.js';
import { DeliveryLog } from './delivery-log.js';
import { StartAttempts } from './start-attempts.js';
import { FinishAttempts } from './finish-attempts.js';
import type { AttemptContext, ClaimedDelivery } from './attempt-context.js';
import { remainingLeaseMs, sendMessage, sendOpened, type SendResult } from './send-message.js';

/**
 * Makes one attempt at a delivery: it is stored, made, and its outcome stored. No transaction is open while it is made. A crash
 * leaves it unfinished; the next claim marks it lost and repeats it under the same event id, by which receivers
 * recognize a repeat.
 */
@Injectable()
export class Deliver {
  constructor(
    private readonly start: StartAttempts,
    private readonly finish: FinishAttempts,
    private readonly secrets: ChannelSecrets,
    private readonly config: LeaseConfig,
    private readonly observer: DeliveryMetrics,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
    private readonly log: DeliveryLog,
  ) {}

  /** @returns the host where a slot is free now; null when it has been free already */
  async run(claimed: ClaimedDelivery): Promise<string | null> {
    const context = await this.start.start(claimed);
    if (!context) return null;
    const { channel, event, attempt: started } = context;
    const attributes = {
      'namewatch.event.id': event.id,
      'namewatch.event.type': event.type,
      'namewatch.channel.type': channel.type,
      'namewatch.attempt': started.number,
    };
    const parent = event.traceparent;
    const name = `deliver ${channel.type}`;
    await this.tracer.trace({ name, kind: 'client', parent, attributes }, (span) => this.make(context, span));
    return context.delivery.host;
  }

  private async make(context: AttemptContext, span: Span): Promise<void> {
    const startedAt = performance.now();
    const { outcome, bug } = await this.send(context);
    const attempt = context.attempt.finish(outcome, Math.round(performance.now() - startedAt));
    const isRecorded = await this.finish.run({ context, attempt, outcome });
    this.log.report(context, attempt, isRecorded);
    if (outcome.outcome !== 'ok') span.fail(outcome.outcome);
    this.observer.observe(context, attempt, this.clock.now());
    if (bug !== null) throw bug;
  }

  private send({ attempt, channel, event, sender, leasedAt }: AttemptContext): Promise<SendResult> {
    const { deliveryId, number, startedAt: sentAt } = attempt;
    return sendOpened(
      () => this.secrets.open(channel, sentAt),
      (opened) => {
        const timeoutMs = remainingLeaseMs(this.config.leaseSeconds, leasedAt);
        const message = { deliveryId, attempt: number, sentAt, channel: opened, event, timeoutMs };
        return sendMessage(sender, message, channel.host);
      },
    );
  }
}
