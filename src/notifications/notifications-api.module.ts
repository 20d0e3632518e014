import { Module } from '@nestjs/common';
import { ChannelSettingsModule } from './channel-settings/channel-settings.module.js';
import { DeliveriesApiModule } from './deliveries/deliveries-api.module.js';
import { EventFeedModule } from './events/event-feed.module.js';

/** The features that only the API serves. */
@Module({ imports: [ChannelSettingsModule, DeliveriesApiModule, EventFeedModule] })
export class NotificationsApiModule {}
