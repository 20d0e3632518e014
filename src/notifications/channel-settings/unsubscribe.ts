import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import { DeliveryRepository } from '../deliveries/deliveries.repository.js';
import { type Subscription, MailLinks } from '../email/mail-links.js';
import { MailSuppressionRepository } from '../email/mail-suppressions.repository.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { LinkNotValid } from '../domain/notifications.errors.js';

/** Ends the mails of one account to one mailbox, for anyone who has such a mail. */
@Injectable()
export class Unsubscribe {
  constructor(
    private readonly links: MailLinks,
    private readonly suppressions: MailSuppressionRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly confirmations: AddressConfirmationRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Without the database. @throws LinkNotValid */
  parseToken(token: string): Subscription {
    const subscription = this.links.parseUnsubscribeToken(token);
    if (subscription === null) throw new LinkNotValid();
    return subscription;
  }

  /** For all channels of the account to the mailbox, later ones included. Idempotent. @throws LinkNotValid */
  run(token: string): Promise<void> {
    const { channelId: targetId, recipient } = this.parseToken(token);
    return this.work.run(async () => {
      const now = this.clock.now();
      const channels = await this.channels.findLockedByMailbox(recipient);
      const isNew = await this.suppressions.add(recipient, now);
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
