import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { DeliveryRepository, type Delivery } from '../domain/deliveries/delivery.js';
import { DeliveryNotFound } from '../domain/notifications.errors.js';

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
