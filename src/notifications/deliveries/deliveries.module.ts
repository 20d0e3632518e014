import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import type { ProcessRole } from '../../config/process-role.js';
import { EventBus } from '../../kernel/unit-of-work.js';
import { type PeriodicTask, periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EventsModule } from '../events/events.module.js';
import { AttemptRepository } from './attempts.repository.js';
import { ChannelLeaseRepository } from './channel-leases.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryRepository } from './deliveries.repository.js';
import { FinishAttempts } from './finish-attempts.js';
import { LeaseChannels } from './lease-channels.js';
import { ServeChannel } from './serve-channel.js';

/** Locks channels that have due deliveries, sends the deliveries and stores the outcomes. */
@Module({
  imports: [AuthModule, ChannelsModule, EventsModule],
  providers: [
    AttemptRepository,
    ChannelLeaseRepository,
    DeliveriesService,
    DeliveryLog,
    DeliveryMetrics,
    DeliveryRepository,
    FinishAttempts,
    LeaseChannels,
    ServeChannel,
  ],
  exports: [DeliveriesService, DeliveryLog, DeliveryRepository, LeaseChannels, ServeChannel],
})
export class DeliveriesModule {}

const SEND_DELIVERIES = 'send-deliveries';

/** Sends due deliveries. Runs in processes with the role `worker`. */
@Module({})
export class DeliveryWorkerModule implements OnModuleInit {
  constructor(
    @Inject(SEND_DELIVERIES) private readonly sending: PeriodicTask,
    private readonly handlers: EventBus,
  ) {}

  static register(role: ProcessRole): DynamicModule {
    const send = periodicTask({
      name: SEND_DELIVERIES,
      service: DeliveryDispatcher,
      intervalMs: 250,
      restsWhenIdle: role === 'all', // only in the role `all` does a new event wake the task
      run: (dispatcher) => dispatcher.run(),
    });
    return { module: DeliveryWorkerModule, imports: [DeliveriesModule], providers: [DeliveryDispatcher, send] };
  }

  onModuleInit(): void {
    this.handlers.afterCommit('', () => this.sending.expectWork());
  }
}
