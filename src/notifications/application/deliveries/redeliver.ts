import { Injectable } from '@nestjs/common';
import { Clock, DAY } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { Deliveries, type Delivery } from '../../domain/deliveries/delivery.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { ChannelNotFound, DeliveryNotFound, RangeRefused } from '../../domain/notifications.errors.js';

const RANGE = 14 * DAY;
const DELIVERIES = 10_000;

/** Sends again what was sent, or was not, in the same bytes and under the same event id. */
@Injectable()
export class Redeliver {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly channels: NotificationChannels,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws DeliveryNotFound, DeliveryPending */
  one(accountId: string, id: string): Promise<Delivery> {
    return this.work.run(async () => {
      const delivery = await this.deliveries.findLocked(accountId, id);
      if (!delivery) throw new DeliveryNotFound();
      delivery.repeat(this.clock.now());
      return delivery;
    });
  }

  /**
   * All of a channel whose events happened from `from` to `to`, both included, and that are not pending.
   * @returns how many
   * @throws ChannelNotFound, RangeRefused; then nothing is sent.
   */
  range(accountId: string, channelId: string, from: Date, to: Date): Promise<number> {
    const length = to.getTime() - from.getTime();
    if (length < 0) throw new RangeRefused('The range ends before it begins.');
    if (length > RANGE) throw new RangeRefused('A range has at most 14 days.');
    return this.work.run(async () => {
      const channel = await this.channels.findLocked(channelId, accountId);
      if (!channel) throw new ChannelNotFound();
      const count = await this.deliveries.repeatAll(channelId, { from, to, now: this.clock.now(), limit: DELIVERIES });
      if (count > DELIVERIES) throw new RangeRefused(`The range holds more than ${DELIVERIES} deliveries.`);
      return count;
    });
  }
}
