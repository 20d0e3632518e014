import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND } from '../../kernel/clock.js';
import { ClaimDispatcher } from '../../platform/queue/claim-dispatcher.js';
import { QueueProducer, InjectQueueProducer } from '../../platform/queue/queue-producer.js';
import { ClaimDueNames } from '../application/checks/claim-due-names.js';
import { type LeaseBatch, LeaseRepository } from '../application/ports/lease-repository.js';
import { CHECK_QUEUE } from './check.queue.js';

const EVERY = 250;
const SWEEP_EVERY = 10 * SECOND;

/** Hands names that are due to the workers, each under a lease. */
@Injectable()
export class CheckTick implements OnModuleDestroy {
  private readonly log = new Logger(CheckTick.name);
  private readonly loop: ClaimDispatcher<LeaseBatch>;

  constructor(
    private readonly claims: ClaimDueNames,
    leases: LeaseRepository,
    @InjectQueueProducer(CHECK_QUEUE) doorbell: QueueProducer,
  ) {
    this.loop = new ClaimDispatcher(doorbell, {
      batchSize: Infinity, // a tick takes all that may be under way at once
      claim: () => claims.run(),
      releaseClaims: (batches) => leases.giveBack(batches),
      toJob: ({ operator, token, names }) => ({
        id: `chk-${token}-${names[0] ?? ''}`,
        data: { operator, token, names },
      }),
    });
  }

  @Interval(EVERY)
  tick(): Promise<void> {
    return this.loop.tick();
  }

  @Interval(SWEEP_EVERY)
  async sweep(): Promise<void> {
    try {
      const aside = await this.claims.setAside();
      if (aside.length > 0) this.log.error({ domains: aside }, 'begun again and again, never finished: set aside');
    } catch (error) {
      this.log.warn(`a sweep failed, the next one goes on: ${(error as Error).message}`);
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }
}
