import { Injectable } from '@nestjs/common';
import { DomainName } from '../../domains/language.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { WatchEntry } from '../domain/watch-entry.js';
import { WatchEntryRepository } from '../watch-entries.repository.js';
import type { WatchedName } from '../domain/watched-name.js';
import { HistoryRepository } from '../records/history.repository.js';
import { WatchedNameRepository } from '../watched-names.repository.js';
import { Clock } from '../../kernel/clock.js';

export interface LockedEntry {
  readonly entry: WatchEntry;
  readonly name: WatchedName;
  /** The shortest interval that the name's other active entries require; null if no other active entry exists. */
  readonly othersMinutes: number | null;
  readonly minimumMinutes: number;
}

type ChangeLocked = (locked: readonly LockedEntry[]) => void | Promise<void>;

/**
 * Changes an account's entries in batches. A transaction that has locked a name never waits for another name, so it
 * cannot deadlock with check results.
 */
@Injectable()
export class EntryBatch {
  constructor(
    private readonly names: WatchedNameRepository,
    private readonly entries: WatchEntryRepository,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Changes the entries of unlocked names together, and then each remaining entry in its own transaction.
   * @returns how many entries were found
   */
  async change(accountId: string, domains: readonly string[], change: ChangeLocked): Promise<number> {
    const free = await this.changeAll(accountId, () => this.names.findUnlockedForUpdate(domains), change);
    let found = free.entries;
    for (const domain of domains)
      if (!free.names.has(domain))
        found += (await this.changeAll(accountId, () => this.waitFor(domain), change)).entries;
    return found;
  }

  private changeAll(accountId: string, lock: () => Promise<readonly WatchedName[]>, change: ChangeLocked) {
    return this.work.run(async () => {
      const names = await lock();
      const locked = names.length === 0 ? [] : await this.lockEntries(accountId, names);
      if (locked.length > 0) await change(locked);
      return { entries: locked.length, names: new Set(names.map(({ domain }) => domain)) };
    });
  }

  private async waitFor(domain: string): Promise<readonly WatchedName[]> {
    const name = await this.names.findForUpdate(DomainName.restore(domain));
    return name ? [name] : [];
  }

  /** Locks the entries of locked names. All writers lock names before entries, because another order could deadlock. */
  async lockEntries(accountId: string, names: readonly WatchedName[]): Promise<LockedEntry[]> {
    const domains = names.map(({ domain }) => domain);
    const entries = await this.entries.findAllForUpdate(accountId, domains);
    const others = await this.names.shortestIntervals(domains, accountId);
    const minimumMinutes = await this.names.requiredMinimum(accountId);
    const byDomain = new Map(names.map((name) => [name.domain, name]));
    return entries.flatMap((entry) => {
      const name = byDomain.get(entry.domain.ascii);
      return name ? [{ entry, name, othersMinutes: others.get(name.domain) ?? null, minimumMinutes }] : [];
    });
  }
}

/** Keeps the time of the next check when a watcher leaves. */
const KEEP_NEXT_CHECK = { withinRequiredInterval: ({ nextCheckAt }: { nextCheckAt: Date | null }) => nextCheckAt };

/** Deletes the entries of a deleted account, and their history. The names stay scheduled for other watchers. */
@Injectable()
export class RemoveEntries {
  /**
   * The last removed name of each account. The next search starts after this name, to skip deleted rows that are still
   * in the index.
   */
  private readonly positions = new Map<string, string>();

  constructor(
    private readonly entries: WatchEntryRepository,
    private readonly history: HistoryRepository,
    private readonly batches: EntryBatch,
    private readonly clock: Clock,
  ) {}

  /**
   * Safe to repeat after a crash.
   * @returns how many entries were deleted, at most `limit`; 0 when none are left
   */
  async run(accountId: string, limit: number): Promise<number> {
    for (;;) {
      const after = this.positions.get(accountId) ?? '';
      const domains = await this.entries.findDomains(accountId, after, limit);
      const last = domains.at(-1);
      if (last === undefined) {
        this.positions.delete(accountId);
        if (after === '') return 0;
        continue; // once more from the start, because entries may have been added
      }
      const removed = await this.batches.change(accountId, domains, (locked) => this.removeAll(locked));
      this.positions.set(accountId, last);
      if (removed > 0) return removed;
    }
  }

  private async removeAll(locked: readonly LockedEntry[]): Promise<void> {
    const entries = locked.map(({ entry }) => entry);
    await this.history.removeAll(entries.map(({ id }) => id));
    await this.entries.removeAll(entries);
    for (const { name, othersMinutes } of locked)
      name.setRequiredInterval([othersMinutes], KEEP_NEXT_CHECK, this.clock.now());
  }
}
