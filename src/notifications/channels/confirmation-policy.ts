import { Injectable } from '@nestjs/common';
import { AccountAdminService } from '../../auth/index.js';
import { MailConfig } from '../../config/sections.js';
import { ChannelSenderRegistry } from '../domain/channels/channel-sender.js';
import { toRecipient } from '../domain/email/address-confirmation.js';
import { MailSender } from '../domain/email/mail-sender.js';
import { MailSuppressionRepository } from '../email/mail-suppression-repository.js';
import type { NotificationChannel } from '../domain/channels/notification-channel.js';

/** Which addresses have to confirm before a channel becomes active. Runs inside a unit of work. */
@Injectable()
export class ConfirmationPolicy {
  private readonly trustedMailboxes: ReadonlySet<string>;

  constructor(
    private readonly senders: ChannelSenderRegistry,
    private readonly suppressions: MailSuppressionRepository,
    private readonly accounts: AccountAdminService,
    { trustedMailboxes }: MailConfig,
  ) {
    this.trustedMailboxes = new Set(trustedMailboxes.map((address) => address.toLowerCase()));
  }

  /** A mailbox that unsubscribed from the account always has to confirm. */
  async requiresConfirmation(channel: NotificationChannel): Promise<boolean> {
    const sender = this.senders.find(channel.type);
    if (!(sender instanceof MailSender) || channel.confirmedAt !== null) return false;
    if (await this.suppressions.has(toRecipient(channel))) return true;
    return sender.requiresConfirmation && !(await this.isTrusted(channel));
  }

  /** By the whole address: an address tag may lead to another mailbox. */
  private async isTrusted({ accountId, canonicalTarget }: NotificationChannel): Promise<boolean> {
    return this.trustedMailboxes.has(canonicalTarget.toLowerCase()) && (await this.accounts.isFirst(accountId));
  }
}
