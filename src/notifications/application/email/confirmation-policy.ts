import { Injectable } from '@nestjs/common';
import { FirstAccount } from '../../../auth/index.js';
import { Config } from '../../../config/config.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { recipientOf } from '../../domain/email/address-confirmation.js';
import { MailSender } from '../../domain/email/mail-sender.js';
import { MailSuppressions } from '../ports/mail-suppression-repository.js';
import type { NotificationChannel } from '../../domain/channels/notification-channel.js';

/** Says which addresses have to confirm before a channel may be active. Inside the unit of work that makes it so. */
@Injectable()
export class ConfirmationPolicy {
  private readonly trusted: ReadonlySet<string>;

  constructor(
    private readonly senders: ChannelSenders,
    private readonly suppressions: MailSuppressions,
    private readonly firstAccount: FirstAccount,
    { mail }: Config,
  ) {
    this.trusted = new Set(mail.trustedMailboxes.map((address) => address.toLowerCase()));
  }

  /** A mailbox that unsubscribed from the account has to, whatever the settings. */
  async requiresConfirmation(channel: NotificationChannel): Promise<boolean> {
    const sender = this.senders.find(channel.type);
    if (!(sender instanceof MailSender) || channel.confirmedAt !== null) return false;
    if (await this.suppressions.has(recipientOf(channel))) return true;
    return sender.asksFirst && !(await this.isTrusted(channel));
  }

  /** By its whole address: a tag may lead to somebody else's mailbox. */
  private async isTrusted({ accountId, canonicalTarget }: NotificationChannel): Promise<boolean> {
    return this.trusted.has(canonicalTarget.toLowerCase()) && (await this.firstAccount.is(accountId));
  }
}
