import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { ActivateChannel } from './activate-channel.js';

/** In one run; the next run goes on. */
const BATCH = 100;

/** Activates the channels that were opened while no mail relay was configured, once there is one. */
@Injectable()
export class ChannelsWithoutRelay {
  constructor(
    private readonly channels: NotificationChannels,
    private readonly senders: ChannelSenders,
    private readonly activate: ActivateChannel,
    private readonly work: UnitOfWork,
  ) {}

  /** Any number of processes may do this at once: each channel is locked, and looked at again. */
  async run(): Promise<void> {
    if (this.senders.find('email')?.isReady !== true) return;
    for (const id of await this.channels.withoutRelay(BATCH))
      await this.work.run(async () => {
        const channel = await this.channels.findLocked(id);
        if (channel?.reason === 'mail_not_configured') await this.activate.run(channel);
      });
  }
}
