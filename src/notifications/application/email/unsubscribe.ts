import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { Consents, type Recipient, recipientOf } from '../../domain/email/address-confirmation.js';
import { Deliveries } from '../../domain/deliveries/delivery.js';
import { MailLinks, type Subscription } from '../ports/mail-links.js';
import { MailSuppressions } from '../ports/mail-suppression-repository.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { LinkNotValid } from '../../domain/notifications.errors.js';

/** Ends what one account sends to one mailbox, for anyone who has a mail that went there. */
@Injectable()
export class Unsubscribe {
  constructor(
    private readonly links: MailLinks,
    private readonly suppressions: MailSuppressions,
    private readonly channels: NotificationChannels,
    private readonly deliveries: Deliveries,
    private readonly consents: Consents,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Looks at the link alone. @throws LinkNotValid */
  admit(token: string): Subscription {
    const subscription = this.links.subscriptionOf(token);
    if (subscription === null) throw new LinkNotValid();
    return subscription;
  }

  /**
   * All channels of the account that lead to the mailbox, and those that it may add later. The same again changes
   * nothing. @throws LinkNotValid
   */
  run(token: string): Promise<void> {
    const subscription = this.admit(token);
    return this.work.run(async () => {
      const recipient = await this.recipientOf(subscription);
      if (!recipient) return;
      const now = this.clock.now();
      const channels = await this.channels.leadingTo(recipient);
      await this.suppressions.add(recipient, now);
      for (const channel of channels) channel.unsubscribe(now);
      const ids = channels.map(({ id }) => id);
      await this.deliveries.pauseAllFor(ids);
      await this.consents.endAllOf(ids, now);
    });
  }

  /** null for a link of an older version whose channel is gone. */
  private async recipientOf({ channelId, recipient }: Subscription): Promise<Recipient | null> {
    if (recipient) return recipient;
    const [channel] = await this.channels.all([channelId]);
    return channel ? recipientOf(channel) : null;
  }
}
