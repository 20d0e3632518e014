import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { ClaimDispatcher } from '../../platform/queue/claim-dispatcher.js';
import { InjectQueueProducer, QueueProducer } from '../../platform/queue/queue-producer.js';
import { RefillingHosts } from './refilling-hosts.js';
import { type Claim, CONCURRENCY_LIMITS, DeliveryRepository } from '../domain/deliveries/delivery.js';
import { DELIVERIES } from './delivery.queue.js';

/** Large enough to be cheap, small enough to spread over several workers. */
const CLAIMS_PER_JOB = 25;

/** Claims due deliveries and enqueues them for the workers. */
@Injectable()
export class DeliveryClaims extends ClaimDispatcher<readonly Claim[]> {
  constructor(
    deliveries: DeliveryRepository,
    refilling: RefillingHosts,
    clock: Clock,
    @InjectQueueProducer(DELIVERIES) producer: QueueProducer,
  ) {
    super(producer, {
      batchSize: CONCURRENCY_LIMITS.total / CLAIMS_PER_JOB,
      claim: async (jobs) =>
        splitIntoJobs(await deliveries.claimDue(clock.now(), jobs * CLAIMS_PER_JOB, refilling.list())),
      releaseClaims: (jobs) => deliveries.release(jobs.flat()),
      toJob: (claims) => ({ id: `dlv-${claims[0]?.token}`, data: { deliveries: claims } }),
    });
  }
}

function splitIntoJobs(claims: readonly Claim[]): (readonly Claim[])[] {
  const jobs = Math.ceil(claims.length / CLAIMS_PER_JOB);
  return Array.from({ length: jobs }, (_, job) => claims.slice(job * CLAIMS_PER_JOB, (job + 1) * CLAIMS_PER_JOB));
}
