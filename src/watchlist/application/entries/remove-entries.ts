import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import type { WatchEntry } from '../../domain/entry/watch-entry.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';

/** Removing a watcher never brings a check forward. */
const KEEP_NEXT_CHECK = { withinRequiredInterval: ({ nextCheckAt }: { nextCheckAt: Date | null }) => nextCheckAt };

/** Deletes the entries of a deleted account; their names stay scheduled for other watchers. */
@Injectable()
export class RemoveEntries {
  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly names: WatchedNameRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Idempotent. @returns how many were deleted, at most `limit` */
  async run(accountId: string, limit: number): Promise<number> {
    const entries = await this.work.run(() => this.entries.findBatch(accountId, limit));
    for (const entry of entries) await this.work.run(() => this.remove(entry));
    return entries.length;
  }

  /** Locks the name first, like every writer of results: the other order would deadlock. */
  private async remove({ accountId, id, domain }: WatchEntry): Promise<void> {
    const name = await this.names.findForUpdate(domain);
    const entry = name && (await this.entries.findForUpdate(accountId, id));
    if (!entry) return;
    this.entries.remove(entry);
    const others = await this.names.shortestInterval(domain, id);
    if (others === null) name.deactivate();
    else name.setRequiredInterval(others, KEEP_NEXT_CHECK, this.clock.now());
  }
}
