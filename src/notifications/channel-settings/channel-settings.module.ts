import { Module, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { AccountUsage } from '../../auth/index.js';
import { ChannelReader } from '../channels/channel-reader.repository.js';
import { ChannelsModule } from '../channels/channels.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EmailModule } from '../email/email.module.js';
import { ActivationModule } from './activation.module.js';
import { NotificationsController } from './channels.controller.js';
import { ChannelsService } from './channels.service.js';
import { MailLinksController } from './mail-links.controller.js';
import { MailboxConsent } from './mailbox-consent.js';

/** Adds, changes, tests and removes channels. Links in mails let a mailbox confirm a channel or unsubscribe. */
@Module({
  imports: [AuthModule, ActivationModule, ChannelsModule, DeliveriesModule, EmailModule],
  controllers: [NotificationsController, MailLinksController],
  providers: [ChannelsService, MailboxConsent],
})
export class ChannelSettingsModule implements OnModuleInit {
  constructor(
    private readonly use: AccountUsage,
    private readonly channels: ChannelReader,
  ) {}

  onModuleInit(): void {
    this.use.registerCounter('channels', async (accountId) => (await this.channels.list(accountId)).length);
    this.use.registerCounter('failing_channels', (accountId) => this.channels.countFailing(accountId));
  }
}
