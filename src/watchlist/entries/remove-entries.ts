import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import { EntryBatch, type LockedEntry } from './entry-batch.js';

/** Removing a watcher never brings a check forward. */
const KEEP_NEXT_CHECK = { withinRequiredInterval: ({ nextCheckAt }: { nextCheckAt: Date | null }) => nextCheckAt };

/** Deletes the entries of a deleted account with their history; their names stay scheduled for other watchers. */
@Injectable()
export class RemoveEntries {
  /** The last removed name of each account: an index scan from the start would read over all that was deleted. */
  private readonly positions = new Map<string, string>();

  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly batches: EntryBatch,
    private readonly clock: Clock,
  ) {}

  /** Idempotent. @returns how many were deleted, at most `limit`; 0 when there are none left */
  async run(accountId: string, limit: number): Promise<number> {
    for (;;) {
      const after = this.positions.get(accountId) ?? '';
      const domains = await this.entries.findDomains(accountId, after, limit);
      const last = domains.at(-1);
      if (last === undefined) {
        this.positions.delete(accountId);
        if (after === '') return 0;
        continue; // once more from the start: some may have been added
      }
      const removed = await this.batches.change(accountId, domains, (locked) =>
        locked.forEach((one) => this.remove(one)),
      );
      this.positions.set(accountId, last);
      if (removed > 0) return removed;
    }
  }

  private remove({ entry, name, othersMinutes }: LockedEntry): void {
    this.entries.remove(entry);
    if (othersMinutes === null) name.deactivate();
    else name.setRequiredInterval(othersMinutes, KEEP_NEXT_CHECK, this.clock.now());
  }
}
