import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock, DAY } from '../../kernel/clock.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { channelEntry } from '../channels/channel-audit.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { channelTest } from '../domain/channel-events.js';
import { Delivery } from '../domain/delivery.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { NotificationEvent } from '../domain/notification-event.js';
import { DeliveryNotFound, ChannelNotFound, RangeNotAllowed } from '../domain/notifications.errors.js';
import { NotificationEventRepository } from '../events/notification-events.repository.js';
import { DeliveryRepository } from './deliveries.repository.js';

const MAX_RANGE_MS = 14 * DAY;
const MAX_DELIVERIES = 10_000;

/** Lets an account test a channel, and send deliveries again. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly events: NotificationEventRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Sends a test event to one channel, whatever its filters. @throws ChannelNotFound */
  test(accountId: string, channelId: string): Promise<{ readonly delivery: Delivery; readonly label: string | null }> {
    return this.work.run(async () => {
      const channel = await this.lockChannel(accountId, channelId);
      const event = NotificationEvent.fromDomainEvent(channelTest(accountId, channelId, this.clock.now()));
      const delivery = Delivery.create(event, channel);
      await this.events.publish([event], [delivery]);
      await this.audit.record(channelEntry('channel.tested', channel, { after: { delivery_id: delivery.id } }));
      return { delivery, label: channel.label };
    });
  }

  /** Sends a delivery again, with the same bytes and event id. @throws DeliveryNotFound, DeliveryPending */
  redeliver(accountId: string, id: string): Promise<Delivery> {
    return this.work.run(async () => {
      const delivery = await this.deliveries.findLocked(accountId, id);
      if (!delivery) throw new DeliveryNotFound();
      delivery.redeliver(this.clock.now());
      const after = { channel_id: delivery.channelId, event_id: delivery.eventId };
      await this.audit.record({ action: 'delivery.redelivered', accountId, targetId: id, after });
      return delivery;
    });
  }

  /**
   * Sends a channel's deliveries of a time range again. Skips deliveries that still wait for an attempt.
   * @throws ChannelNotFound, RangeNotAllowed
   */
  replay(accountId: string, channelId: string, from: Date, to: Date): Promise<number> {
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs < 0) throw new RangeNotAllowed('The range ends before it begins.');
    if (lengthMs > MAX_RANGE_MS) throw new RangeNotAllowed('A range has at most 14 days.');
    return this.work.run(async () => {
      await this.lockChannel(accountId, channelId);
      const count = await this.deliveries.replay(channelId, { from, to }, this.clock.now(), MAX_DELIVERIES);
      if (count > MAX_DELIVERIES) throw new RangeNotAllowed(`The range holds more than ${MAX_DELIVERIES} deliveries.`);
      const after = { from: from.toISOString(), to: to.toISOString(), count };
      await this.audit.record({ action: 'channel.replayed', accountId, targetId: channelId, after });
      return count;
    });
  }

  /** Ends pending deliveries about deleted entries, in the transaction of the deletion. */
  async cancelForRemoved(removed: readonly DomainEvent[]): Promise<void> {
    const entryIds = removed.map(({ payload }) => (payload as { readonly entry_id: string }).entry_id);
    await this.deliveries.cancelForEntries([...new Set(removed.map(({ accountId }) => accountId))], entryIds);
  }

  private async lockChannel(accountId: string, id: string): Promise<NotificationChannel> {
    const channel = await this.channels.findLocked(id, accountId);
    if (!channel) throw new ChannelNotFound();
    return channel;
  }
}
