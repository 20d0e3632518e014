import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { SpanKind } from '@opentelemetry/api';
import { failSpan, inSpan } from '../../platform/tracing/spans.js';
import { ChannelSecrets } from '../channels/channel-secrets.js';
import { type Bundle, type Message, writesToPeople } from '../domain/channel-sender.js';
import { MOST_NAMED_IN_MESSAGE } from '../domain/channel-lease.js';
import type { StartedDelivery } from './attempts.repository.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { FinishAttempts, type FinishedAttempt } from './finish-attempts.js';
import type { Batch } from './lease-channels.js';
import { remainingLeaseMs, sendBundle, sendMessage, sendOpened, type SendResult } from './send-message.js';

/**
 * Sends a channel's due deliveries, with no transaction open. People get one message for all events, programs get a
 * message for each event.
 */
@Injectable()
export class ServeChannel {
  constructor(
    private readonly finish: FinishAttempts,
    private readonly secrets: ChannelSecrets,
    private readonly config: LeaseConfig,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
    private readonly log: DeliveryLog,
  ) {}

  /** @throws the errors that senders threw, after all outcomes are stored */
  async run(batch: Batch): Promise<void> {
    const results = await this.send(batch);
    const finished = results.flatMap(({ attempts }) => attempts);
    const isRecorded = await this.finish.run({ ...batch, finished });
    const { channel } = batch;
    const endedAt = this.clock.now();
    this.log.report(
      channel,
      results.map(({ attempts }) => attempts),
      isRecorded,
    );
    for (const { event, attempt } of finished) this.metrics.observe({ channel, event }, attempt, endedAt);
    const [bug, ...others] = results.flatMap((result) => result.bug ?? []);
    if (bug) throw others.length === 0 ? bug : new AggregateError([bug, ...others], 'several attempts failed');
  }

  private async send(batch: Batch): Promise<readonly SentMessage[]> {
    const { started, sender } = batch;
    const [first] = started;
    if (!first) return [];
    if (started.length === 1 || !writesToPeople(sender))
      return Promise.all(
        started.map((one) => this.attempt(batch, [one], (opened) => this.sendOne(batch, one, opened))),
      );
    const events = started.slice(0, MOST_NAMED_IN_MESSAGE).map(({ event }) => event);
    const bundle = { events, total: started.length, sentAt: first.attempt.startedAt, attempt: first.attempt.number };
    return [
      await this.attempt(batch, started, (channel) =>
        sendBundle(sender, { ...bundle, channel, timeoutMs: this.timeoutOf(batch) }, batch.channel.host),
      ),
    ];
  }

  private sendOne(batch: Batch, { event, attempt }: StartedDelivery, channel: Message['channel']): Promise<SendResult> {
    const { deliveryId, number, startedAt: sentAt } = attempt;
    const message = { deliveryId, attempt: number, sentAt, channel, event, timeoutMs: this.timeoutOf(batch) };
    return sendMessage(batch.sender, message, batch.channel.host);
  }

  /** Sends one message about the events of these deliveries. */
  private async attempt(
    { channel }: Batch,
    started: readonly StartedDelivery[],
    send: (opened: Bundle['channel']) => Promise<SendResult>,
  ): Promise<SentMessage> {
    const [first] = started;
    const attributes = {
      'namewatch.event.id': first?.event.id ?? '',
      'namewatch.event.type': first?.event.type ?? '',
      'namewatch.channel.type': channel.type,
      'namewatch.attempt': first?.attempt.number ?? 0,
    };
    const options = { kind: SpanKind.CLIENT, traceparent: first?.event.traceparent ?? null, attributes };
    return inSpan(`deliver ${channel.type}`, options, async (span) => {
      const startedAt = performance.now();
      const { outcome, bug } = await sendOpened(() => this.secrets.open(channel, this.clock.now()), send);
      const durationMs = Math.round(performance.now() - startedAt);
      if (outcome.outcome !== 'ok') failSpan(span, outcome.outcome);
      const attempts = started.map((one) => ({ ...one, outcome, attempt: one.attempt.finish(outcome, durationMs) }));
      return { attempts, bug };
    });
  }

  private timeoutOf({ leasedAt }: Batch): number {
    return remainingLeaseMs(this.config.leaseSeconds, leasedAt);
  }
}

interface SentMessage {
  readonly attempts: readonly FinishedAttempt[];
  readonly bug: Error | null;
}
