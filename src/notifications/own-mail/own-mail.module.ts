import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { SECOND } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { oldData } from '../../platform/scheduling/retention.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { EmailModule } from '../email/email.module.js';
import { OwnMailContents } from './own-mail-contents.js';
import { SendOwnMails } from './send-own-mails.js';

/** Sends confirmation and invitation mails. */
@Module({
  imports: [AuthModule, ChannelsModule, EmailModule],
  providers: [OwnMailContents, SendOwnMails],
  exports: [SendOwnMails],
})
export class OwnMailModule {}

/** Runs in every process with the role `worker`, so that no mail waits for a dead worker. */
@Module({
  imports: [OwnMailModule],
  providers: [
    periodicTask({
      name: 'send-own-mails',
      service: SendOwnMails,
      intervalMs: 2 * SECOND,
      run: (mails, { signal }) => mails.run(signal),
    }),
    oldData({ name: 'own-mails', service: SendOwnMails, forget: (mails) => mails.purge() }),
  ],
})
export class OwnMailTasksModule {}
