import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../kernel/domain-event.js';
import { Delivery } from '../../domain/deliveries/delivery.js';
import { type NotificationChannel, NotificationChannels } from '../../domain/channels/notification-channel.js';
import { NotificationEvent, NotificationEvents, tagsOf } from '../../domain/events/notification-event.js';

/**
 * Tells an account's channels what happened. Called inside the transaction that made it happen, so that an event and
 * its deliveries are there exactly when the change is; sending comes later and may take days.
 */
@Injectable()
export class Announce {
  constructor(
    private readonly channels: NotificationChannels,
    private readonly events: NotificationEvents,
  ) {}

  /** Two statements for any number of events. */
  async run(happened: readonly DomainEvent[]): Promise<void> {
    const listening = await this.listeningByAccount(happened);
    const events = happened.map((event) => NotificationEvent.of(event));
    const deliveries = happened.flatMap((event, i) =>
      (listening.get(event.accountId) ?? [])
        .filter((channel) => channel.wants(event.type, tagsOf(event)))
        .flatMap((channel) => (events[i] ? [Delivery.of(events[i], channel)] : [])),
    );
    await this.events.publish(events, deliveries);
  }

  private async listeningByAccount(happened: readonly DomainEvent[]): Promise<Map<string, NotificationChannel[]>> {
    const accounts = [...new Set(happened.map((event) => event.accountId))];
    return Map.groupBy(await this.channels.listeningIn(accounts), (channel) => channel.accountId);
  }
}
