import { Injectable, Logger } from '@nestjs/common';
import { DeliveryConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import type { AddressConfirmation } from '../domain/address-confirmation.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import type { Claim } from '../domain/claim.js';
import { EmailSender } from '../email/email-sender.js';
import type { ConfirmationMail } from '../email/emails.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { remainingLeaseMs } from '../deliveries/send-message.js';
import { sendDueMessages } from './send-due-messages.js';

/** Mail relays limit connections. */
const CONCURRENCY = 5;

/**
 * Sends due confirmation mails. A crash repeats one under the same Message-ID; a failure is retried by the mail
 * schedule.
 */
@Injectable()
export class SendConfirmationMails {
  private readonly log = new Logger(SendConfirmationMails.name);

  constructor(
    private readonly confirmations: AddressConfirmationRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: DeliveryConfig,
  ) {}

  /** Does nothing while sending is off. Safe to run in several processes at once. */
  async run(stopSignal?: AbortSignal): Promise<void> {
    if (!this.config.sending) return;
    await sendDueMessages({
      concurrency: CONCURRENCY,
      claimDue: (limit) => this.confirmations.claimDue(this.clock.now(), limit),
      send: (claim, leasedAt) => this.send(claim, leasedAt),
      log: this.log,
      stopSignal,
    });
  }

  private async send(claim: Claim, leasedAt: number): Promise<void> {
    const prepared = await this.work.run(() => this.prepare(claim));
    if (!prepared) return;
    const { sender } = prepared;
    const mail = { ...prepared.mail, timeoutMs: remainingLeaseMs(this.config.leaseSeconds, leasedAt) };
    const outcome = await sender.sendConfirmation(mail);
    await this.work.run(async () => {
      (await this.confirmations.lockClaimed(claim))?.finishAttempt(outcome, sender.schedule, this.clock.now());
    });
    this.log.log({ channel: mail.channel.id, outcome: outcome.outcome }, 'confirmation mail attempted');
  }

  private async prepare(
    claim: Claim,
  ): Promise<{ sender: EmailSender; mail: Omit<ConfirmationMail, 'timeoutMs'> } | null> {
    const confirmation = await this.confirmations.lockClaimed(claim);
    if (!confirmation) return null;
    const [channel] = await this.channels.findByIds([confirmation.channelId]);
    const sender = channel && this.senders.find(channel.type);
    const now = this.clock.now();
    const isNeeded = channel?.reason === 'unconfirmed' && confirmation.isOpen(now);
    if (isNeeded && sender instanceof EmailSender)
      return { sender, mail: this.toMail(confirmation, channel.canonicalTarget, now) };
    confirmation.abandon();
    return null;
  }

  private toMail(confirmation: AddressConfirmation, target: string, sentAt: Date): Omit<ConfirmationMail, 'timeoutMs'> {
    const { id, channelId, accountId, expiresAt } = confirmation;
    return { id, channel: { id: channelId, accountId, target }, expiresAt, sentAt };
  }
}
