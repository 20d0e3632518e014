import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { ClaimLoop } from '../../platform/queue/claim-loop.js';
import { Doorbell, InjectDoorbell } from '../../platform/queue/doorbell.js';
import { type Claim, Deliveries } from '../domain/delivery.js';
import { DELIVERIES } from './delivery.queue.js';

const EVERY = 250;
const BATCH = 500;

/** Hands deliveries that are due to the workers, each under a lease. */
@Injectable()
export class DeliveryTick implements OnModuleDestroy {
  private readonly loop: ClaimLoop<Claim>;

  constructor(deliveries: Deliveries, clock: Clock, @InjectDoorbell(DELIVERIES) doorbell: Doorbell) {
    this.loop = new ClaimLoop(doorbell, {
      batch: BATCH,
      claim: (limit) => deliveries.claimDue(clock.now(), limit),
      giveBack: (claims) => deliveries.giveBack(claims),
      ringFor: (claim) => ({ id: `dlv-${claim.token}`, data: { deliveries: [claim] } }),
    });
  }

  @Interval(EVERY)
  tick(): Promise<void> {
    return this.loop.tick();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}
