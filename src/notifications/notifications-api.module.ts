import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { NotificationsController } from './channel-settings/channels.controller.js';
import { ChannelsService } from './channel-settings/channels.service.js';
import { MailLinksController } from './channel-settings/mail-links.controller.js';
import { MailboxConsent } from './channel-settings/mailbox-consent.js';
import { ChannelReader } from './channels/channel-reader.repository.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveryReader } from './deliveries/delivery-reader.repository.js';
import { EventFeed } from './events/event-feed.repository.js';
import { EventStreams } from './events/event-streams.js';
import { EventsController } from './events/events.controller.js';
import { StreamSlots } from './events/stream-slots.repository.js';
import { NotificationsCoreModule } from './notifications-core.module.js';

/** The features that only the API serves. */
@Module({
  imports: [AuthModule, NotificationsCoreModule],
  controllers: [NotificationsController, MailLinksController, DeliveriesController, EventsController],
  providers: [ChannelsService, MailboxConsent, DeliveryReader, EventFeed, EventStreams, StreamSlots],
})
export class NotificationsApiModule implements OnModuleInit {
  constructor(
    private readonly use: AccountUsage,
    private readonly channels: ChannelReader,
  ) {}

  onModuleInit(): void {
    this.use.registerCounter('channels', async (accountId) => (await this.channels.list(accountId)).length);
    this.use.registerCounter('failing_channels', (accountId) => this.channels.countFailing(accountId));
  }
}
