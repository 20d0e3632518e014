import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { currentTraceparent } from '../../platform/tracing/spans.js';
import { Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { NotificationEvent, getEntryTags, isSentByDefault } from '../domain/notification-event.js';
import { NotificationEventRepository } from './notification-events.repository.js';

/** Stores events and their deliveries in the transaction of the change that caused them. Sending comes later. */
@Injectable()
export class PublishEvents {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
  ) {}

  /** Uses two statements for any number of events. */
  async run(domainEvents: readonly DomainEvent[]): Promise<void> {
    const channels = await this.findChannelsByAccount(domainEvents.filter(isTold));
    const traceparent = currentTraceparent();
    const events = domainEvents.map((event) => NotificationEvent.fromDomainEvent(event, traceparent));
    const deliveries = domainEvents.flatMap((event, i) =>
      (isTold(event) ? (channels.get(event.accountId) ?? []) : [])
        .filter((channel) => channel.accepts(event.type, getEntryTags(event), isSentByDefault(event)))
        .flatMap((channel) => (events[i] ? [Delivery.create(events[i], channel)] : [])),
    );
    await this.events.publish(events, deliveries);
  }

  private async findChannelsByAccount(
    domainEvents: readonly DomainEvent[],
  ): Promise<Map<string, NotificationChannel[]>> {
    const accounts = [...new Set(domainEvents.map((event) => event.accountId))];
    return Map.groupBy(await this.channels.findReceivers(accounts), (channel) => channel.accountId);
  }
}

function isTold({ isShownOnly }: DomainEvent): boolean {
  return isShownOnly !== true;
}
