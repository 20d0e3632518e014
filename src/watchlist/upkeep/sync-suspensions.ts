import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { PlanCatalogue } from '../../auth/index.js';
import { after, Clock, MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import {
  type EntryToPause,
  type SuspendedAccount,
  type SuspendedEntry,
  SuspensionRepository,
} from './suspensions.repository.js';
import { WatchlistService } from '../entries/watchlist.service.js';

const BATCH_SIZE = 200;
/** Requests that were admitted before the suspension, and may add entries, are over by then. */
const SETTLED_AFTER_MS = 5 * MINUTE;
const MAX_SETTLED_ACCOUNTS = 10_000;

/**
 * Pauses the entries of suspended accounts and resumes them afterwards, with the same effects as by their watcher. An
 * entry that its watcher paused stays paused.
 */
@Injectable()
export class SyncSuspensions {
  private readonly log = new Logger(SyncSuspensions.name);
  /** Accounts without an entry to pause, by the time of their suspension: nothing adds one any more. */
  private readonly settled = new LRUCache<string, number>({ max: MAX_SETTLED_ACCOUNTS });

  constructor(
    private readonly suspensions: SuspensionRepository,
    private readonly watchlist: WatchlistService,
    private readonly plans: PlanCatalogue,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Idempotent and safe in several processes. */
  async run(signal?: AbortSignal): Promise<void> {
    for (const account of await this.suspensions.findSuspendedAccounts())
      if (this.settled.get(account.id) !== account.suspendedAt.getTime()) await this.pauseEntries(account, signal);
    await this.resumeEntries(signal);
  }

  /** Makes one pass; entries that fail are tried again in the next run. */
  private async pauseEntries({ id, suspendedAt }: SuspendedAccount, signal?: AbortSignal): Promise<void> {
    const beganAt = this.clock.now();
    let failures = 0;
    let entries: readonly EntryToPause[] = [];
    do {
      if (signal?.aborted) return;
      entries = await this.suspensions.findToPause(id, entries.at(-1)?.domain ?? '', BATCH_SIZE);
      for (const entry of entries) if (!(await this.syncOne(entry, true))) failures += 1;
    } while (entries.length === BATCH_SIZE);
    const isSettled = failures === 0 && beganAt >= after(suspendedAt, SETTLED_AFTER_MS);
    if (isSettled) this.settled.set(id, suspendedAt.getTime());
  }

  /** Stops until the next run when a whole batch fails. */
  private async resumeEntries(signal?: AbortSignal): Promise<void> {
    const next = () => this.suspensions.findToResume(BATCH_SIZE);
    for (let entries = await next(); entries.length > 0 && !signal?.aborted; entries = await next()) {
      let done = 0;
      for (const entry of entries) if (await this.syncOne(entry, false)) done += 1;
      if (done === 0) return;
    }
  }

  private async syncOne(entry: SuspendedEntry, paused: boolean): Promise<boolean> {
    try {
      await this.work.run(async () => {
        await this.watchlist.followSuspension({ id: entry.accountId, plan: this.plans.default }, entry.id, paused);
        if (paused) await this.suspensions.markPaused(entry);
        else await this.suspensions.clearMark(entry);
      });
      return true;
    } catch (error) {
      this.log.warn(`${entry.id} does not follow the suspension of its account yet: ${(error as Error).message}`);
      return false;
    }
  }
}
