import { Injectable, Logger } from '@nestjs/common';
import { PlanCatalogue } from '../../../auth/index.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { type SuspendedEntry, SuspensionRepository } from '../ports/suspension-repository.js';
import { WatchlistService } from '../entries/watchlist.service.js';

const BATCH_SIZE = 200;

/**
 * Pauses the entries of suspended accounts and resumes them afterwards, with the same effects as by their watcher. An
 * entry that its watcher paused stays paused.
 */
@Injectable()
export class SyncSuspensions {
  private readonly log = new Logger(SyncSuspensions.name);

  constructor(
    private readonly suspensions: SuspensionRepository,
    private readonly watchlist: WatchlistService,
    private readonly plans: PlanCatalogue,
    private readonly work: UnitOfWork,
  ) {}

  /** Idempotent and safe in several processes. */
  async run(signal?: AbortSignal): Promise<void> {
    await this.syncAll(() => this.suspensions.findToPause(BATCH_SIZE), true, signal);
    await this.syncAll(() => this.suspensions.findToResume(BATCH_SIZE), false, signal);
  }

  /** Stops until the next run when a whole batch fails. */
  private async syncAll(
    next: () => Promise<readonly SuspendedEntry[]>,
    paused: boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    for (let entries = await next(); entries.length > 0 && !signal?.aborted; entries = await next()) {
      let done = 0;
      for (const entry of entries) if (await this.syncOne(entry, paused)) done += 1;
      if (done === 0) return;
    }
  }

  private async syncOne(entry: SuspendedEntry, paused: boolean): Promise<boolean> {
    try {
      await this.work.run(async () => {
        await this.watchlist.change({ id: entry.accountId, plan: this.plans.default }, entry.id, { paused });
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
