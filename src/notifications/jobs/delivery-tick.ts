import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { ClaimLoop } from '../../platform/queue/claim-dispatcher.js';
import { Doorbell, InjectDoorbell } from '../../platform/queue/queue-producer.js';
import { type Claim, Deliveries, PLACES } from '../domain/deliveries/delivery.js';
import { DELIVERIES } from './delivery.queue.js';

const EVERY = 250;
/** Claims that one job carries: enough to be cheap, and few enough that several workers share them. */
const IN_A_JOB = 25;

/** Hands deliveries that are due to the workers, each under a lease. */
@Injectable()
export class DeliveryTick implements OnModuleDestroy {
  private readonly loop: ClaimLoop<readonly Claim[]>;

  constructor(deliveries: Deliveries, clock: Clock, @InjectDoorbell(DELIVERIES) doorbell: Doorbell) {
    this.loop = new ClaimLoop<readonly Claim[]>(doorbell, {
      batch: PLACES.inAll / IN_A_JOB,
      claim: async (jobs) => shared(await deliveries.claimDue(clock.now(), jobs * IN_A_JOB)),
      giveBack: (jobs) => deliveries.giveBack(jobs.flat()),
      ringFor: (claims) => ({ id: `dlv-${claims[0]?.token}`, data: { deliveries: claims } }),
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

function shared(claims: readonly Claim[]): (readonly Claim[])[] {
  const jobs = Math.ceil(claims.length / IN_A_JOB);
  return Array.from({ length: jobs }, (_, job) => claims.slice(job * IN_A_JOB, (job + 1) * IN_A_JOB));
}
