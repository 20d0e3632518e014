import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ChannelSenderRegistry } from '../domain/channels/channel-sender.js';
import { NotificationChannelRepository } from '../domain/channels/notification-channel.js';
import { lacksRelay } from '../domain/email/mail-sender.js';
import { ActivateChannel } from './activate-channel.js';

/** Per run. */
const BATCH_SIZE = 100;

/** Activates channels that were opened without a mail relay, once there is one. */
@Injectable()
export class ActivateWaitingChannels {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly activate: ActivateChannel,
    private readonly work: UnitOfWork,
  ) {}

  /** Safe to run in several processes at once: each channel is locked and checked again. */
  async run(): Promise<void> {
    if (lacksRelay(this.senders.find('email'))) return;
    for (const id of await this.channels.findIdsWithoutRelay(BATCH_SIZE))
      await this.work.run(async () => {
        const channel = await this.channels.findLocked(id);
        if (channel?.reason === 'mail_not_configured') await this.activate.run(channel);
      });
  }
}
