import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { AddressConfirmation, nextConfirmationAt, toRecipient } from '../domain/address-confirmation.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import { EmailSender, lacksRelay } from '../email/email-sender.js';

/** Activates a channel, or says what it waits for. Runs inside a unit of work. */
@Injectable()
export class ActivateChannel {
  constructor(
    private readonly senders: ChannelSenderRegistry,
    private readonly confirmations: AddressConfirmationRepository,
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

  /** A mailbox that unsubscribed from the account always has to confirm. */
  private async requiresConfirmation(channel: NotificationChannel): Promise<boolean> {
    const sender = this.senders.find(channel.type);
    if (!(sender instanceof EmailSender) || channel.confirmedAt !== null) return false;
    if (await this.confirmations.isSuppressed(toRecipient(channel))) return true;
    return sender.requiresConfirmation;
  }

  /**
   * Above the account's limit the mail waits. Above the mailbox's limit it is not sent, and the answer hides that: it
   * would reveal requests of other accounts. Earlier links stay valid.
   */
  private async requestConfirmation(channel: NotificationChannel): Promise<void> {
    const now = this.clock.now();
    const recent = await this.confirmations.lockRecent(toRecipient(channel), after(now, -this.units.day));
    const at = nextConfirmationAt(recent, now, this.units);
    if (at) this.confirmations.add(AddressConfirmation.request(channel, at, this.units));
  }
}

/** Deletes confirmations that no limit counts any more. */
@Injectable()
export class PurgeConfirmations {
  constructor(
    private readonly confirmations: AddressConfirmationRepository,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** Safe to run in several processes at once. */
  run(): Promise<void> {
    return this.confirmations.purge(after(this.clock.now(), -2 * this.units.day));
  }
}

/** Limits the channels of one run. */
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
