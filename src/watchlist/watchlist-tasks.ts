import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { ClaimDueNames } from './checks/claim-due-names.js';
import { FollowAccounts } from './upkeep/follow-accounts.js';
import { PurgeHistory } from './upkeep/purge-history.js';
import { FollowDropLists } from './drops/drop-lists.js';
import { CheckClaims } from './checks/check-claims.js';

export const COMMON_TASKS = [
  periodicTask({
    name: 'load-listed-drops',
    service: FollowDropLists,
    intervalMs: MINUTE,
    startDelayMs: 0,
    run: (lists) => lists.load(),
  }),
];

export const SCHEDULER_TASKS = [
  periodicTask({
    name: 'refresh-drop-lists',
    service: FollowDropLists,
    intervalMs: MINUTE, // each list stores when it is due
    startDelayMs: 5 * SECOND,
    run: (lists, { signal }) => lists.refreshAll(signal),
  }),
  periodicTask({
    name: 'begin-drop-windows',
    service: FollowDropLists,
    intervalMs: MINUTE,
    async run(lists, { log }) {
      const names = await lists.beginWindows();
      if (names > 0) log.log({ names }, 'due because their drop lists say so');
    },
  }),
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
  oldData({
    name: 'history',
    service: PurgeHistory,
    async forget(history, signal) {
      const purged = await history.run(signal);
      if (purged.intervals + purged.records + purged.names > 0) return purged;
    },
  }),
  periodicTask({
    name: 'follow-accounts',
    service: FollowAccounts,
    intervalMs: 10 * SECOND,
    async run(accounts, { log, signal }) {
      const names = await accounts.run(signal);
      if (names > 0) log.log({ names }, 'scheduled by the plans and suspensions of their accounts');
    },
  }),
];
