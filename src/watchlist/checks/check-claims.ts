import { Injectable } from '@nestjs/common';
import { ClaimDispatcher } from '../../platform/queue/claim-dispatcher.js';
import { InjectQueueProducer, QueueProducer } from '../../platform/queue/queue-producer.js';
import { ClaimDueNames } from './claim-due-names.js';
import { type LeaseBatch, LeaseRepository } from './leases.repository.js';
import { CHECK_QUEUE } from './check.queue.js';

/** Hands due names to the workers, each under a lease. */
@Injectable()
export class CheckClaims extends ClaimDispatcher<LeaseBatch> {
  constructor(
    claims: ClaimDueNames,
    leases: LeaseRepository,
    @InjectQueueProducer(CHECK_QUEUE) producer: QueueProducer,
  ) {
    super(producer, {
      batchSize: Infinity, // one claim takes all that the operators' rate limits allow
      claim: () => claims.run(),
      releaseClaims: (batches) => leases.release(batches),
      toJob: ({ operator, token, names }) => ({
        id: `chk-${token}-${names[0] ?? ''}`,
        data: { operator, token, names },
      }),
    });
  }
}
