import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { MailOutbox } from '../../platform/outbound/mail-outbox.js';
import { channelEntry } from '../channels/channel-audit.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { DeliveryRepository } from '../deliveries/deliveries.repository.js';
import { toRecipient } from '../domain/mailbox.js';
import { LinkExpired } from '../domain/notifications.errors.js';
import { MailLinks } from '../email/mail-links.js';
import { MailSuppressionRepository } from '../email/mail-suppressions.repository.js';

/** Confirms channels and unsubscribes mailboxes by the links in mails. Anyone who has a mail may use its links. */
@Injectable()
export class MailboxConsent {
  constructor(
    private readonly links: MailLinks,
    private readonly mails: MailOutbox,
    private readonly suppressions: MailSuppressionRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Confirms a channel. An old link cannot undo a later unsubscription.
   * @throws LinkNotValid, LinkExpired
   */
  confirm(token: string): Promise<void> {
    const id = this.links.parseConfirmationToken(token);
    return this.work.run(async () => {
      const mail = await this.mails.find(id);
      const channel = mail && (await this.channels.findLocked(mail.subjectId));
      if (!channel) throw new LinkExpired();
      if (channel.confirmedAt !== null) return;
      const now = this.clock.now();
      const current = await this.mails.find(id); // reads the mail again, now that its channel is locked
      if (current === null || current.expiresAt <= now) throw new LinkExpired();
      channel.confirm(now);
      await this.suppressions.remove(toRecipient(channel));
      await this.mails.end([channel.id], now);
      await this.audit.record(channelEntry('channel.confirmed', channel), this.audit.originOf('recipient'));
    });
  }

  /**
   * Unsubscribes the mailbox from all present and later channels of the account.
   * @throws LinkNotValid
   */
  unsubscribe(token: string): Promise<void> {
    const { channelId: targetId, recipient } = this.links.parseUnsubscribeToken(token);
    return this.work.run(async () => {
      const now = this.clock.now();
      const channels = await this.channels.findLockedByMailbox(recipient);
      const isNew = await this.suppressions.add(recipient, now);
      for (const channel of channels) channel.unsubscribe(now);
      const ids = channels.map(({ id }) => id);
      await this.deliveries.pauseForChannels(ids);
      await this.mails.end(ids, now);
      const target = { accountId: recipient.accountId, targetId };
      const entry = { action: 'mailbox.unsubscribed' as const, ...target, after: { channels: ids } };
      if (isNew) await this.audit.record(entry, this.audit.originOf('recipient'));
    });
  }
}
