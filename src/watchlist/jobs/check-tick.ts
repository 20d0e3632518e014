import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../kernel/clock.js';
import { ClaimLoop } from '../../platform/queue/claim-loop.js';
import { Doorbell, InjectDoorbell } from '../../platform/queue/doorbell.js';
import { type Lease, Leases } from '../domain/leases.js';
import { CHECKS } from './check.queue.js';

const EVERY = 250;
const BATCH = 500;

/** Hands names that are due to the workers, each under a lease. */
@Injectable()
export class CheckTick implements OnModuleDestroy {
  private readonly loop: ClaimLoop<Lease>;

  constructor(leases: Leases, clock: Clock, @InjectDoorbell(CHECKS) doorbell: Doorbell) {
    this.loop = new ClaimLoop(doorbell, {
      batch: BATCH,
      claim: (limit) => leases.claimDue(clock.now(), limit),
      giveBack: (claims) => leases.giveBack(claims),
      ringFor: ({ name, token }) => ({ id: `chk-${token}`, data: { name, token } }),
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
