import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { SECOND } from '../../kernel/clock.js';
import { QueueModule } from '../../platform/queue/queue.module.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ApplyRecordUpdates } from '../records/apply-record-updates.js';
import { WatchlistStoreModule } from '../watchlist-store.module.js';
import { ApplyCheckResult } from './apply-check-result.js';
import { BackgroundThrottle } from './background-throttle.js';
import { CheckClaims } from './check-claims.js';
import { CheckDueNames, ConfirmDelegation } from './check-due-names.js';
import { CheckProcessor } from './check.processor.js';
import { CheckScheduleModule } from '../check-schedule.module.js';
import { ClaimDueNames } from './claim-due-names.js';
import { LeaseRepository } from './leases.repository.js';
import { RecordCheckResults } from './record-check-results.js';
import { RoutineUpdateRepository } from './routine-updates.repository.js';
import { WatchlistMetrics } from './watchlist-metrics.js';

const CLAIM_TASKS = [
  periodicTask({
    name: 'claim-due-names',
    service: CheckClaims,
    intervalMs: 250,
    restsWhenIdle: true,
    run: (claims) => claims.run(),
  }),
  periodicTask({
    name: 'postpone-poison-names',
    service: ClaimDueNames,
    intervalMs: 10 * SECOND,
    async run(claims, { log }) {
      const domains = await claims.postponePoisonNames();
      if (domains.length > 0)
        log.error({ domains }, 'checks postponed by an hour: too many were started and none finished');
    },
  }),
];

/** Checks the names that are due, and applies the registry's answers. */
@Module({
  imports: [DomainsModule, CheckScheduleModule, WatchlistStoreModule],
  providers: [
    ApplyCheckResult,
    ApplyRecordUpdates,
    BackgroundThrottle,
    CheckDueNames,
    ClaimDueNames,
    ConfirmDelegation,
    LeaseRepository,
    RecordCheckResults,
    RoutineUpdateRepository,
    WatchlistMetrics,
  ],
  exports: [ApplyCheckResult, CheckDueNames, ClaimDueNames, LeaseRepository],
})
export class ChecksModule {}

/** Puts due names into the queue. Runs in processes with the role `scheduler`. */
@Module({ imports: [ChecksModule, QueueModule], providers: [CheckClaims, ...CLAIM_TASKS] })
export class CheckClaimsModule {}

/** Takes names from the queue and checks them. Runs in processes with the role `worker`. */
@Module({ imports: [ChecksModule, QueueModule], providers: [CheckProcessor] })
export class CheckWorkerModule {}
