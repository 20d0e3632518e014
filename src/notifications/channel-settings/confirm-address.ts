import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import {
  nextConfirmationAt,
  type ConfirmableChannel,
  AddressConfirmation,
  toRecipient,
} from '../domain/address-confirmation.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import { AccountAdminService, AuditTrail } from '../../auth/index.js';
import { MailConfig } from '../../config/sections.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import { EmailSender } from '../email/email-sender.js';
import { MailSuppressionRepository } from '../email/mail-suppressions.repository.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { MailLinks } from '../email/mail-links.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { LinkExpired, LinkNotValid } from '../domain/notifications.errors.js';
import { channelEntry } from '../channels/channel-audit.js';

/** Schedules a confirmation mail to the address of a channel. Runs inside a unit of work. */
@Injectable()
export class RequestConfirmation {
  constructor(
    private readonly confirmations: AddressConfirmationRepository,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /**
   * Above the account's limit the mail waits. Above the mailbox's limit it is not sent, and the answer hides that: it
   * would reveal requests of other accounts. Earlier links stay valid.
   */
  async run(channel: ConfirmableChannel): Promise<void> {
    const now = this.clock.now();
    const recent = await this.confirmations.lockRecent(toRecipient(channel), after(now, -this.units.day));
    const at = nextConfirmationAt(recent, now, this.units);
    if (at) this.confirmations.add(AddressConfirmation.request(channel, at, this.units));
  }

  /** Deletes what no limit counts any more. Safe to run in several processes at once. */
  purge(): Promise<void> {
    return this.confirmations.purge(after(this.clock.now(), -2 * this.units.day));
  }
}

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
    if (!(sender instanceof EmailSender) || channel.confirmedAt !== null) return false;
    if (await this.suppressions.has(toRecipient(channel))) return true;
    return sender.requiresConfirmation && !(await this.isTrusted(channel));
  }

  /** By the whole address: an address tag may lead to another mailbox. */
  private async isTrusted({ accountId, canonicalTarget }: NotificationChannel): Promise<boolean> {
    return this.trustedMailboxes.has(canonicalTarget.toLowerCase()) && (await this.accounts.isFirst(accountId));
  }
}

@Injectable()
export class ConfirmAddress {
  constructor(
    private readonly links: MailLinks,
    private readonly confirmations: AddressConfirmationRepository,
    private readonly suppressions: MailSuppressionRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Without the database. @throws LinkNotValid */
  parseToken(token: string): string {
    const confirmationId = this.links.parseConfirmationToken(token);
    if (confirmationId === null) throw new LinkNotValid();
    return confirmationId;
  }

  /** Idempotent; but an old link does not undo a later unsubscription. @throws LinkNotValid, LinkExpired */
  run(token: string): Promise<void> {
    const confirmationId = this.parseToken(token);
    return this.work.run(async () => {
      const channelId = await this.confirmations.findChannelId(confirmationId);
      const channel = channelId === null ? null : await this.channels.findLocked(channelId);
      if (!channel) throw new LinkExpired();
      if (channel.confirmedAt !== null) return;
      const now = this.clock.now();
      const confirmation = await this.confirmations.find(confirmationId); // under the channel's lock, which guards its links
      if (!confirmation?.isOpen(now)) throw new LinkExpired();
      channel.confirm(now);
      await this.suppressions.remove(toRecipient(channel));
      await this.confirmations.invalidateLinks([channel.id], now);
      await this.audit.record(channelEntry('channel.confirmed', channel), this.audit.originOf('recipient'));
    });
  }
}
