import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import type { ProcessRole } from '../../config/process-role.js';
import { EventBus } from '../../kernel/unit-of-work.js';
import { QueueModule } from '../../platform/queue/queue.module.js';
import { type PeriodicTask, periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EventsModule } from '../events/events.module.js';
import { AttemptRepository } from './attempts.repository.js';
import { ChannelLeaseRepository } from './channel-leases.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryProcessor, DeliveryWakeUps } from './delivery.processor.js';
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

const WAKE_UP_DELIVERIES = 'wake-up-deliveries';

/** Looks for due deliveries. Runs in processes with the role `scheduler`. */
@Module({})
export class DeliveryWakeUpModule implements OnModuleInit {
  constructor(
    @Inject(WAKE_UP_DELIVERIES) private readonly wakeUps: PeriodicTask,
    private readonly handlers: EventBus,
  ) {}

  static register(role: ProcessRole): DynamicModule {
    const wakeUp = periodicTask({
      name: WAKE_UP_DELIVERIES,
      service: DeliveryWakeUps,
      intervalMs: 250,
      restsWhenIdle: role === 'all', // only in the role `all` does a new event wake the task
      run: (wakeUps) => wakeUps.run(),
    });
    return {
      module: DeliveryWakeUpModule,
      imports: [DeliveriesModule, QueueModule],
      providers: [DeliveryWakeUps, wakeUp],
    };
  }

  onModuleInit(): void {
    this.handlers.afterCommit('', () => this.wakeUps.expectWork());
  }
}

/** Takes jobs from the queue and sends deliveries. Runs in processes with the role `worker`. */
@Module({ imports: [DeliveriesModule, QueueModule], providers: [DeliveryProcessor, DeliveryDispatcher] })
export class DeliveryWorkerModule {}
