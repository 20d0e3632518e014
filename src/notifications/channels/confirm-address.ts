import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { AddressConfirmationRepository, toRecipient } from '../domain/email/address-confirmation.js';
import { MailLinks } from '../email/mail-links.js';
import { MailSuppressionRepository } from '../email/mail-suppression-repository.js';
import { NotificationChannelRepository } from '../domain/channels/notification-channel.js';
import { LinkExpired, LinkNotValid } from '../domain/notifications.errors.js';
import { channelEntry } from './channel-audit.js';

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
