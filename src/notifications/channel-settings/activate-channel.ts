import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { MailOutbox } from '../../platform/outbound/mail-outbox.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { toRecipient } from '../domain/mailbox.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { EmailSender, lacksRelay } from '../email/email-sender.js';
import { MailSuppressionRepository } from '../email/mail-suppressions.repository.js';

/** Activates a channel, or returns why it cannot be active yet. Must run inside a unit of work. */
@Injectable()
export class ActivateChannel {
  constructor(
    private readonly senders: ChannelSenderRegistry,
    private readonly mails: MailOutbox,
    private readonly suppressions: MailSuppressionRepository,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  async run(channel: NotificationChannel): Promise<'active' | 'unconfirmed' | 'mail_not_configured'> {
    if (lacksRelay(this.senders.find(channel.type))) {
      channel.awaitRelay();
      return 'mail_not_configured';
    }
    if (await this.requiresConfirmation(channel)) {
      channel.awaitConfirmation();
      await this.requestConfirmation(channel);
      return 'unconfirmed';
    }
    channel.enable();
    return 'active';
  }

  /**
   * Whether the mailbox must confirm first. A mailbox that unsubscribed, and has not confirmed since, must always
   * confirm.
   */
  private async requiresConfirmation(channel: NotificationChannel): Promise<boolean> {
    const sender = this.senders.find(channel.type);
    if (!(sender instanceof EmailSender) || channel.confirmedAt !== null) return false;
    if (await this.suppressions.has(toRecipient(channel))) return true;
    return sender.requiresConfirmation;
  }

  /** Queues a confirmation mail, which rate limits may delay or drop. Links in earlier mails stay valid. */
  private async requestConfirmation({ id: subjectId, accountId }: NotificationChannel): Promise<void> {
    const createdAt = this.clock.now();
    const [kind, expiresAt] = ['confirmation' as const, after(createdAt, this.units.day)];
    await this.mails.add({ id: randomUUID(), kind, accountId, subjectId, createdAt, expiresAt });
  }
}

const BATCH_SIZE = 100;

/** Activates the channels that wait for a mail relay (`mail_not_configured`), once a relay is configured. */
@Injectable()
export class ActivateWaitingChannels {
  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly activate: ActivateChannel,
    private readonly work: UnitOfWork,
  ) {}

  /** Several processes may run this at once, because each channel is locked and checked again. */
  async run(): Promise<void> {
    if (lacksRelay(this.senders.find('email'))) return;
    for (const id of await this.channels.findIdsWithoutRelay(BATCH_SIZE))
      await this.work.run(async () => {
        const channel = await this.channels.findLocked(id);
        if (channel?.reason === 'mail_not_configured') await this.activate.run(channel);
      });
  }
}
