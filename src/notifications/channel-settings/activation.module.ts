import { Module } from '@nestjs/common';
import { MINUTE } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EmailModule } from '../email/email.module.js';
import { ActivateChannel, ActivateWaitingChannels } from './activate-channel.js';

/** Activates a channel at once, or after its mailbox has confirmed. */
@Module({
  imports: [ChannelsModule, EmailModule],
  providers: [ActivateChannel, ActivateWaitingChannels],
  exports: [ActivateChannel, ActivateWaitingChannels],
})
export class ActivationModule {}

/** Activates channels that waited for a mail relay. Runs in processes with the role `worker`. */
@Module({
  imports: [ActivationModule],
  providers: [
    periodicTask({
      name: 'activate-waiting-channels',
      service: ActivateWaitingChannels,
      intervalMs: MINUTE,
      startDelayMs: 0, // at once, because a restart may have added a mail relay
      run: (channels) => channels.run(),
    }),
  ],
})
export class ActivationTasksModule {}
