import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { LeaseConfig } from '../../config/sections.js';
import { failed } from '../domain/attempt.js';
import type { Message } from '../domain/channel-sender.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { type Span, Tracer } from '../../kernel/tracing/tracer.js';
import { DeliveryLog } from './delivery-log.js';
import { type ClaimedDelivery, StartAttempts } from './start-attempts.js';
import { FinishAttempts } from './finish-attempts.js';
import type { AttemptContext } from './attempt-context.js';
import { remainingLeaseMs, sendMessage, type SendResult } from './send-message.js';

/**
 * One attempt at a delivery: stored, made, and its outcome stored. No transaction is open while it is made. A crash
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
      ...{ 'namewatch.event.id': event.id, 'namewatch.event.type': event.type },
      ...{ 'namewatch.channel.type': channel.type, 'namewatch.attempt': started.number },
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

  /** A secret that does not open is a failure of this service. */
  private async send(context: AttemptContext): Promise<SendResult> {
    const { sender, channel } = context;
    let message: Message;
    try {
      message = this.toMessage(context);
    } catch (error) {
      return { outcome: failed('connect', { fault: 'service' }), bug: error as Error };
    }
    return sendMessage(sender, message, channel.host);
  }

  private toMessage({ attempt, channel, event, leasedAt }: AttemptContext): Message {
    return {
      deliveryId: attempt.deliveryId,
      attempt: attempt.number,
      sentAt: attempt.startedAt,
      channel: this.secrets.open(channel, attempt.startedAt),
      event,
      timeoutMs: remainingLeaseMs(this.config.leaseSeconds, leasedAt),
    };
  }
}
