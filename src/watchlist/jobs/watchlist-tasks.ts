import { HOUR, MINUTE, SECOND } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { ClaimDueNames } from '../application/checks/claim-due-names.js';
import { EnforcePlanIntervals } from '../application/maintenance/enforce-plan-intervals.js';
import { MeasureOperatorLoad } from '../application/maintenance/measure-operator-load.js';
import { PurgeHistory } from '../application/maintenance/purge-history.js';
import { ReassignOperators } from '../application/maintenance/reassign-operators.js';
import { ReleaseDropBrakes } from '../application/maintenance/release-drop-brakes.js';
import { SyncSuspensions } from '../application/maintenance/sync-suspensions.js';
import { CheckClaims } from './check-claims.js';
import { StopStalledWorker } from './stop-stalled-worker.js';

export const SCHEDULER_TASKS = [
  periodicTask({
    name: 'claim-due-names',
    service: CheckClaims,
    intervalMs: 250,
    run: (claims, { signal }) => claims.run(signal),
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
  periodicTask({
    name: 'release-drop-brakes',
    service: ReleaseDropBrakes,
    intervalMs: 5 * SECOND,
    async run(brakes, { log }) {
      for (const { operator, tld } of await brakes.run())
        log.log({ operator, tld }, 'drop brake released: canaries passed');
    },
  }),
  periodicTask({
    name: 'purge-history',
    service: PurgeHistory,
    intervalMs: HOUR,
    async run(history, { log, signal }) {
      const purged = await history.run(signal);
      if (purged.intervals + purged.names > 0) log.log(purged, 'purged expired history');
    },
  }),
  periodicTask({
    name: 'measure-operator-load',
    service: MeasureOperatorLoad,
    intervalMs: MINUTE,
    run: (loads) => loads.run(),
  }),
  periodicTask({
    name: 'reassign-operators',
    service: ReassignOperators,
    intervalMs: HOUR, // a TLD can get a new operator while the service runs
    startDelayMs: 10 * SECOND, // and the settings by a restart
    async run(operators, { log }) {
      const names = await operators.run();
      if (names > 0) log.log({ names }, 'reassigned to their current operators');
    },
  }),
  periodicTask({
    name: 'enforce-plan-intervals',
    service: EnforcePlanIntervals,
    intervalMs: MINUTE,
    async run(plans, { log, signal }) {
      const entries = await plans.run(signal);
      if (entries > 0) log.log({ entries }, 'plan minimum intervals applied');
    },
  }),
  periodicTask({
    name: 'sync-suspended-entries',
    service: SyncSuspensions,
    intervalMs: 10 * SECOND,
    run: (suspensions, { signal }) => suspensions.run(signal),
  }),
];

export const WORKER_TASKS = [
  periodicTask({
    name: 'stop-stalled-worker',
    service: StopStalledWorker,
    intervalMs: (worker) => worker.intervalMs,
    run: (worker) => worker.run(),
  }),
];
