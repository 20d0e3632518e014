import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { DeliveryRepository, type Delivery } from '../../domain/deliveries/delivery.js';
import { NotificationChannelRepository } from '../../domain/channels/notification-channel.js';
import { ChannelNotFound, DeliveryNotFound, RangeNotAllowed } from '../../domain/notifications.errors.js';

const MAX_RANGE_MS = 14 * DAY;
const MAX_DELIVERIES = 10_000;

/** Sends deliveries again: the same bytes under the same event id. */
@Injectable()
export class Redeliver {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws DeliveryNotFound, DeliveryPending */
  one(accountId: string, id: string): Promise<Delivery> {
    return this.work.run(async () => {
      const delivery = await this.deliveries.findLocked(accountId, id);
      if (!delivery) throw new DeliveryNotFound();
      delivery.redeliver(this.clock.now());
      return delivery;
    });
  }

  /**
   * The channel's deliveries of events from `from` to `to`, both included, that are not pending.
   * @returns how many
   * @throws ChannelNotFound, RangeNotAllowed
   */
  range(accountId: string, channelId: string, from: Date, to: Date): Promise<number> {
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs < 0) throw new RangeNotAllowed('The range ends before it begins.');
    if (lengthMs > MAX_RANGE_MS) throw new RangeNotAllowed('A range has at most 14 days.');
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(channelId, accountId);
      if (!channel) throw new ChannelNotFound();
      const count = await this.deliveries.redeliverRange(channelId, {
        from,
        to,
        now: this.clock.now(),
        limit: MAX_DELIVERIES,
      });
      if (count > MAX_DELIVERIES) throw new RangeNotAllowed(`The range holds more than ${MAX_DELIVERIES} deliveries.`);
      return count;
    });
  }
}
