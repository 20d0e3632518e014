import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { channelEntry } from '../channels/channel-audit.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { DeliveryRepository } from '../deliveries/deliveries.repository.js';
import { toRecipient } from '../domain/address-confirmation.js';
import { LinkExpired } from '../domain/notifications.errors.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import { MailLinks } from '../email/mail-links.js';

/** What the owner of a mailbox decides by the links in mails; whoever has the mail may do so. */
@Injectable()
export class MailboxConsent {
  constructor(
    private readonly links: MailLinks,
    private readonly confirmations: AddressConfirmationRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Idempotent; but an old link does not undo a later unsubscription. @throws LinkNotValid, LinkExpired */
  confirm(token: string): Promise<void> {
    const confirmationId = this.links.parseConfirmationToken(token);
    return this.work.run(async () => {
      const channelId = await this.confirmations.findChannelId(confirmationId);
      const channel = channelId === null ? null : await this.channels.findLocked(channelId);
      if (!channel) throw new LinkExpired();
      if (channel.confirmedAt !== null) return;
      const now = this.clock.now();
      const confirmation = await this.confirmations.find(confirmationId); // under the channel's lock, which guards its links
      if (!confirmation?.isOpen(now)) throw new LinkExpired();
      channel.confirm(now);
      await this.confirmations.endSuppression(toRecipient(channel));
      await this.confirmations.invalidateLinks([channel.id], now);
      await this.audit.record(channelEntry('channel.confirmed', channel), this.audit.originOf('recipient'));
    });
  }

  /** Ends all channels of the account to the mailbox, later ones included. Idempotent. @throws LinkNotValid */
  unsubscribe(token: string): Promise<void> {
    const { channelId: targetId, recipient } = this.links.parseUnsubscribeToken(token);
    return this.work.run(async () => {
      const now = this.clock.now();
      const channels = await this.channels.findLockedByMailbox(recipient);
      const isNew = await this.confirmations.suppress(recipient, now);
      for (const channel of channels) channel.unsubscribe(now);
      const ids = channels.map(({ id }) => id);
      await this.deliveries.pauseForChannels(ids);
      await this.confirmations.invalidateLinks(ids, now);
      const target = { accountId: recipient.accountId, targetId };
      const entry = { action: 'mailbox.unsubscribed' as const, ...target, after: { channels: ids } };
      if (isNew) await this.audit.record(entry, this.audit.originOf('recipient'));
    });
  }
}
