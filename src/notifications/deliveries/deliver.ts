import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { LeaseConfig } from '../../config/sections.js';
import { failed } from '../domain/attempt.js';
import type { Message } from '../domain/channel-sender.js';
import type { Claim } from '../domain/delivery.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { type Span, Tracer } from '../../kernel/tracing/tracer.js';
import { DeliveryLog } from './delivery-log.js';
import { StartAttempts } from './start-attempts.js';
import { FinishAttempts } from './finish-attempts.js';
import { remainingLeaseMs } from './remaining-lease.js';
import type { AttemptContext } from './attempt-context.js';
import { sendMessage, type SendResult } from './send-message.js';

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

  /**
   * Safe to repeat: the first run replaces the token of the claim.
   * @returns the host where a slot is free now and nothing was claimed for it; null when there is none
   */
  async run(claim: Claim): Promise<string | null> {
    const context = await this.start.run(claim);
    return context && this.attempt(context);
  }

  /** Makes a stored attempt. @returns as `run` */
  attempt(context: AttemptContext): Promise<string | null> {
    const { channel, event, attempt: started } = context;
    const attributes = {
      ...{ 'namewatch.event.id': event.id, 'namewatch.event.type': event.type },
      ...{ 'namewatch.channel.type': channel.type, 'namewatch.attempt': started.number },
    };
    const parent = event.traceparent;
    return this.tracer.trace({ name: `deliver ${channel.type}`, kind: 'client', parent, attributes }, (span) =>
      this.make(context, span),
    );
  }

  private async make(context: AttemptContext, span: Span): Promise<string | null> {
    const startedAt = performance.now();
    const { outcome, bug } = await this.send(context);
    const attempt = context.attempt.finish(outcome, Math.round(performance.now() - startedAt));
    const result = await this.finish.run({ context, attempt, outcome });
    this.log.report(context, attempt, result !== 'expired');
    if (outcome.outcome !== 'ok') span.fail(outcome.outcome);
    this.observer.observe(context, attempt, this.clock.now());
    if (bug !== null) throw bug;
    return result === 'refilled' ? null : context.delivery.host;
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
