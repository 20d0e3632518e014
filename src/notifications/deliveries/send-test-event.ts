import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { channelTest } from '../domain/channel-events.js';
import { Delivery } from '../domain/delivery.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { NotificationEventRepository } from '../events/notification-events.repository.js';
import { ChannelNotFound } from '../domain/notifications.errors.js';
import { channelEntry } from '../channels/channel-audit.js';

/** Sends a test event to one channel, whatever its filters. */
@Injectable()
export class SendTestEvent {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws ChannelNotFound */
  run(accountId: string, channelId: string): Promise<Delivery> {
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(channelId, accountId);
      if (!channel) throw new ChannelNotFound();
      const event = NotificationEvent.fromDomainEvent(channelTest(accountId, channelId, this.clock.now()));
      const delivery = Delivery.create(event, channel);
      await this.events.publish([event], [delivery]);
      await this.audit.record(channelEntry('channel.tested', channel, { after: { delivery_id: delivery.id } }));
      return delivery;
    });
  }
}
