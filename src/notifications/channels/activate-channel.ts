import { Injectable } from '@nestjs/common';
import { ChannelSenderRegistry } from '../domain/channels/channel-sender.js';
import type { NotificationChannel } from '../domain/channels/notification-channel.js';
import { lacksRelay } from '../domain/email/mail-sender.js';
import { RequestConfirmation } from './request-confirmation.js';
import { ConfirmationPolicy } from './confirmation-policy.js';

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
