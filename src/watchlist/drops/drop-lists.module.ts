import { Module } from '@nestjs/common';
import { DomainsModule } from '../../domains/domains.module.js';
import { MINUTE, SECOND } from '../../kernel/clock.js';
import { periodicTask } from '../../platform/scheduling/periodic-task.js';
import { DropListingRepository } from './drop-listings.repository.js';
import { FollowDropLists } from './drop-lists.js';

const LOAD_TASKS = [
  periodicTask({
    name: 'load-listed-drops',
    service: FollowDropLists,
    intervalMs: MINUTE,
    startDelayMs: 0,
    run: (lists) => lists.load(),
  }),
];

const REFRESH_TASKS = [
  periodicTask({
    name: 'refresh-drop-lists',
    service: FollowDropLists,
    intervalMs: MINUTE, // each list has its own due time in the database
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
];

/** Provides the registries' lists of names that are about to be deleted. Every process loads these lists. */
@Module({
  imports: [DomainsModule],
  providers: [FollowDropLists, DropListingRepository, ...LOAD_TASKS],
  exports: [FollowDropLists],
})
export class DropListsModule {}

/** Fetches the drop lists and makes the listed names due for checks. Runs in processes with the role `scheduler`. */
@Module({ imports: [DropListsModule], providers: REFRESH_TASKS })
export class DropListRefreshModule {}
