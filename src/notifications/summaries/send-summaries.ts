import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { isEmptySummary, summaryEvent } from '../domain/summary.js';
import { NotificationEventRepository } from '../events/notification-events.repository.js';
import { type DueSummary, SummaryRepository } from './summaries.repository.js';

const BATCH_SIZE = 50;

/** Stores a summary and the next due time in one transaction under the channel's lock, so only one process sends. */
@Injectable()
export class SendSummaries {
  private readonly log = new Logger(SendSummaries.name);

  constructor(
    private readonly summaries: SummaryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws AggregateError if some summaries failed, after all other summaries were sent */
  async run(signal?: AbortSignal): Promise<void> {
    const failures = new Map<string, unknown>();
    let due: DueSummary[];
    do {
      due = await this.summaries.findDue(this.clock.now(), BATCH_SIZE, [...failures.keys()]);
      for (const channel of due) {
        if (signal?.aborted) return;
        await this.send(channel).catch((error: unknown) => failures.set(channel.id, error));
      }
    } while (due.length === BATCH_SIZE);
    if (failures.size > 0)
      throw new AggregateError(failures.values(), `no summary for ${[...failures.keys()].join(', ')}`);
  }

  private async send(due: DueSummary): Promise<void> {
    // Reads before the transaction, because reading may take a while and needs no lock.
    const summary = await this.summaries.read(due, this.clock.now());
    await this.work.run(async () => {
      const channel = await this.channels.findLocked(due.id);
      const now = this.clock.now();
      const dueAt = channel?.takeDueSummary(now) ?? null;
      if (!channel || dueAt === null || !channel.active) return;
      if (isEmptySummary(summary) && channel.summary?.send_empty !== true) return;
      await this.publish(channel, { ...summary, dueAt }, now);
      this.log.log({ channel: due.id, names: summary.names }, 'summary sent');
    });
  }

  private async publish(channel: NotificationChannel, summary: Parameters<typeof summaryEvent>[1], now: Date) {
    const event = NotificationEvent.fromDomainEvent(summaryEvent(channel, summary, now));
    await this.events.publish([event], [Delivery.create(event, channel)]);
  }
}
