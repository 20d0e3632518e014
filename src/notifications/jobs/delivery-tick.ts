import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { ClaimDispatcher } from '../../platform/queue/claim-dispatcher.js';
import { QueueProducer, InjectQueueProducer } from '../../platform/queue/queue-producer.js';
import { type Claim, DeliveryRepository, CONCURRENCY_LIMITS } from '../domain/deliveries/delivery.js';
import { DELIVERIES } from './delivery.queue.js';

const INTERVAL_MS = 250;
/** Large enough to be cheap, small enough to spread over several workers. */
const CLAIMS_PER_JOB = 25;

/** Claims due deliveries and enqueues them for the workers. */
@Injectable()
export class DeliveryTick implements OnModuleDestroy {
  private readonly loop: ClaimDispatcher<readonly Claim[]>;

  constructor(deliveries: DeliveryRepository, clock: Clock, @InjectQueueProducer(DELIVERIES) doorbell: QueueProducer) {
    this.loop = new ClaimDispatcher<readonly Claim[]>(doorbell, {
      batchSize: CONCURRENCY_LIMITS.total / CLAIMS_PER_JOB,
      claim: async (jobs) => splitIntoJobs(await deliveries.claimDue(clock.now(), jobs * CLAIMS_PER_JOB)),
      releaseClaims: (jobs) => deliveries.release(jobs.flat()),
      toJob: (claims) => ({ id: `dlv-${claims[0]?.token}`, data: { deliveries: claims } }),
    });
  }

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    return this.loop.tick();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}

function splitIntoJobs(claims: readonly Claim[]): (readonly Claim[])[] {
  const jobs = Math.ceil(claims.length / CLAIMS_PER_JOB);
  return Array.from({ length: jobs }, (_, job) => claims.slice(job * CLAIMS_PER_JOB, (job + 1) * CLAIMS_PER_JOB));
}
