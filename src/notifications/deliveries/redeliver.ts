import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock, DAY } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { Delivery } from '../domain/delivery.js';
import { DeliveryRepository } from './deliveries.repository.js';
import { DeliveryNotFound, ChannelNotFound, RangeNotAllowed } from '../domain/notifications.errors.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { ReplayRepository } from './replays.repository.js';

/** Sends a delivery again: the same bytes under the same event id. */
@Injectable()
export class Redeliver {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws DeliveryNotFound, DeliveryPending */
  one(accountId: string, id: string): Promise<Delivery> {
    return this.work.run(async () => {
      const delivery = await this.deliveries.findLocked(accountId, id);
      if (!delivery) throw new DeliveryNotFound();
      delivery.redeliver(this.clock.now());
      const after = { channel_id: delivery.channelId, event_id: delivery.eventId };
      await this.audit.record({ action: 'delivery.redelivered', accountId, targetId: id, after });
      return delivery;
    });
  }
}

/**
 * Disables pending deliveries about deleted entries, in the transaction that deletes them: after that request, no new
 * attempt is made.
 */
@Injectable()
export class CancelDeliveries {
  constructor(private readonly deliveries: DeliveryRepository) {}

  async run(removed: readonly DomainEvent[]): Promise<void> {
    const entryIds = removed.map(({ payload }) => (payload as { readonly entry_id: string }).entry_id);
    await this.deliveries.cancelForEntries([...new Set(removed.map(({ accountId }) => accountId))], entryIds);
  }
}

const MAX_RANGE_MS = 14 * DAY;
const MAX_DELIVERIES = 10_000;
/** Few enough for a short transaction: the channel is locked meanwhile. */
const BATCH_SIZE = 500;
/** After such a pause, the process that began a replay has probably died. */
const ABANDONED_AFTER_SECONDS = 30;

/** Sends the deliveries of a time range again, in batches: the same bytes under the same event ids. */
@Injectable()
export class ReplayDeliveries {
  private readonly log = new Logger(ReplayDeliveries.name);

  constructor(
    private readonly replays: ReplayRepository,
    private readonly channels: NotificationChannelRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * The channel's deliveries of events from `from` to `to`, both included, that are not pending. What a process that
   * dies leaves undone, {@link finishAbandoned} does.
   * @returns how many
   * @throws ChannelNotFound, RangeNotAllowed; then nothing is sent
   */
  async run(accountId: string, channelId: string, from: Date, to: Date): Promise<number> {
    const lengthMs = to.getTime() - from.getTime();
    if (lengthMs < 0) throw new RangeNotAllowed('The range ends before it begins.');
    if (lengthMs > MAX_RANGE_MS) throw new RangeNotAllowed('A range has at most 14 days.');
    const count = await this.replays.count(channelId, { from, to }, MAX_DELIVERIES);
    if (count > MAX_DELIVERIES) throw new RangeNotAllowed(`The range holds more than ${MAX_DELIVERIES} deliveries.`);
    const id = await this.work.run(async () => {
      if (!(await this.channels.findLocked(channelId, accountId))) throw new ChannelNotFound();
      const after = { from: from.toISOString(), to: to.toISOString(), count };
      await this.audit.record({ action: 'channel.replayed', accountId, targetId: channelId, after });
      return this.replays.start({ channelId, from, to, requestedAt: this.clock.now() });
    });
    await this.finish(id);
    return count;
  }

  /** Safe to run in several processes at once. */
  async finishAbandoned(signal?: AbortSignal): Promise<void> {
    for (const id of await this.replays.findAbandoned(ABANDONED_AFTER_SECONDS)) {
      this.log.log({ replay: id }, 'finishing a replay that was interrupted');
      await this.finish(id, signal);
    }
  }

  private async finish(id: string, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && (await this.work.run(() => this.replays.advance(id, BATCH_SIZE))));
  }
}
