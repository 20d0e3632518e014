import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Consents } from '../domain/consent.js';
import { Deliveries } from '../domain/delivery.js';
import { MailLinks } from '../domain/mail-links.js';
import { NotificationChannels } from '../domain/notification-channel.js';
import { LinkNotValid } from '../domain/notifications.errors.js';

/** Ends what goes to one address, for whoever has a mail that went there. */
@Injectable()
export class Unsubscribe {
  constructor(
    private readonly links: MailLinks,
    private readonly channels: NotificationChannels,
    private readonly deliveries: Deliveries,
    private readonly consents: Consents,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Looks at the link alone. @throws LinkNotValid */
  admit(token: string): string {
    const channelId = this.links.channelOf(token);
    if (channelId === null) throw new LinkNotValid();
    return channelId;
  }

  /** The same again changes nothing, and a channel that is gone sends nothing anyhow. @throws LinkNotValid */
  run(token: string): Promise<void> {
    const channelId = this.admit(token);
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(channelId);
      if (!channel) return;
      const now = this.clock.now();
      channel.unsubscribe(now);
      await this.deliveries.pauseAllFor([channelId]);
      await this.consents.endAllOf(channelId, now);
    });
  }
}
