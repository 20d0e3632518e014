import { Injectable } from '@nestjs/common';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { lacksRelay } from '../email/email-sender.js';
import { RequestConfirmation, ConfirmationPolicy } from './confirm-address.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';

/** Activates a channel, or says what it waits for. Runs inside a unit of work. */
@Injectable()
export class ActivateChannel {
  constructor(
    private readonly senders: ChannelSenderRegistry,
    private readonly policy: ConfirmationPolicy,
    private readonly requestConfirmation: RequestConfirmation,
  ) {}

  async run(channel: NotificationChannel): Promise<'active' | 'unconfirmed' | 'mail_not_configured'> {
    if (lacksRelay(this.senders.find(channel.type))) {
      channel.awaitRelay();
      return 'mail_not_configured';
    }
    if (await this.policy.requiresConfirmation(channel)) {
      channel.awaitConfirmation();
      await this.requestConfirmation.run(channel);
      return 'unconfirmed';
    }
    channel.enable();
    return 'active';
  }
}

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
