import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { channelTest } from '../../domain/channels/channel-events.js';
import { Delivery } from '../../domain/deliveries/delivery.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { NotificationEvent, NotificationEvents } from '../../domain/events/notification-event.js';
import { ChannelNotFound } from '../../domain/notifications.errors.js';

/** Sends a test to one channel, whatever the channel wants to hear of. */
@Injectable()
export class TryChannel {
  constructor(
    private readonly channels: NotificationChannels,
    private readonly events: NotificationEvents,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws ChannelNotFound */
  run(accountId: string, channelId: string): Promise<Delivery> {
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(channelId, accountId);
      if (!channel) throw new ChannelNotFound();
      const event = NotificationEvent.of(channelTest(accountId, channelId, this.clock.now()));
      const delivery = Delivery.of(event, channel);
      await this.events.publish([event], [delivery]);
      return delivery;
    });
  }
}
