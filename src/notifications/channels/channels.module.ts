import { Module } from '@nestjs/common';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import { GuardedHttpModule } from '../guarded-http.module.js';
import { ChannelReader } from './channel-reader.repository.js';
import { ChannelSecrets } from './channel-secrets.js';
import { NotificationChannelRepository } from './notification-channels.repository.js';
import { WebhookSender } from './webhook-sender.js';

const PARTS = [ChannelReader, ChannelSecrets, ChannelSenderRegistry, NotificationChannelRepository, WebhookSender];

/** Stores channels with their secrets, and holds a sender for each type of channel. */
@Module({ imports: [GuardedHttpModule], providers: PARTS, exports: PARTS })
export class ChannelsModule {}
