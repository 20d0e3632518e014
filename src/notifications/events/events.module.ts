import { Module } from '@nestjs/common';
import { TransactionOrder } from '../../platform/database/transaction-order.js';
import { oldData } from '../../platform/scheduling/retention.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { NotificationEventRepository } from './notification-events.repository.js';
import { PublishEvents } from './publish-events.js';
import { PurgeEvents } from './purge-events.js';

/** Stores events, each with a delivery for every channel whose filters accept the event. */
@Module({
  imports: [ChannelsModule],
  providers: [NotificationEventRepository, PublishEvents, PurgeEvents, TransactionOrder],
  exports: [NotificationEventRepository, PublishEvents, PurgeEvents],
})
export class EventsModule {}

/** Deletes old events. Runs in processes with the role `scheduler`. */
@Module({
  imports: [EventsModule],
  providers: [oldData({ name: 'events', service: PurgeEvents, forget: (events, signal) => events.run(signal) })],
})
export class EventTasksModule {}
