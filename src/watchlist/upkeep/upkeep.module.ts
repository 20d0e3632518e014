import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { SECOND } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { oldData } from '../../platform/scheduling/retention.js';
import { CheckScheduleModule } from '../check-schedule.module.js';
import { WatchlistStoreModule } from '../watchlist-store.module.js';
import { FollowAccounts } from './follow-accounts.js';
import { FollowedAccountRepository } from './followed-accounts.repository.js';
import { PurgeHistory } from './purge-history.js';

const UPKEEP_TASKS = [
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

/** Deletes old history, and reschedules the names of accounts whose plan or suspension changed. */
@Module({
  imports: [AuthModule, CheckScheduleModule, WatchlistStoreModule],
  providers: [PurgeHistory, FollowAccounts, FollowedAccountRepository],
  exports: [PurgeHistory, FollowAccounts],
})
export class UpkeepModule {}

/** Runs in processes with the role `scheduler`. */
@Module({ imports: [UpkeepModule], providers: UPKEEP_TASKS })
export class UpkeepTasksModule {}
