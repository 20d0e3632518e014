import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { Consents, recipientOf } from '../../domain/email/address-confirmation.js';
import { MailLinks } from '../ports/mail-links.js';
import { MailSuppressions } from '../ports/mail-suppression-repository.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { LinkExpired, LinkNotValid } from '../../domain/notifications.errors.js';

/** An address agrees to get the mails of a channel. */
@Injectable()
export class ConfirmAddress {
  constructor(
    private readonly links: MailLinks,
    private readonly consents: Consents,
    private readonly suppressions: MailSuppressions,
    private readonly channels: NotificationChannels,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Looks at the link alone. @throws LinkNotValid */
  admit(token: string): string {
    const consentId = this.links.confirmationOf(token);
    if (consentId === null) throw new LinkNotValid();
    return consentId;
  }

  /** Twice is once; but a link does not undo that its reader unsubscribed since. @throws LinkNotValid, LinkExpired */
  run(token: string): Promise<void> {
    const consentId = this.admit(token);
    return this.work.run(async () => {
      const channelId = await this.consents.channelOf(consentId);
      const channel = channelId === null ? null : await this.channels.findLocked(channelId);
      if (!channel) throw new LinkExpired();
      if (channel.confirmedAt !== null) return;
      const now = this.clock.now();
      const consent = await this.consents.find(consentId); // under the lock, under which alone links are used up
      if (!consent?.isOpen(now)) throw new LinkExpired();
      channel.confirm(now);
      await this.suppressions.remove(recipientOf(channel));
      await this.consents.endAllOf([channel.id], now);
    });
  }
}
