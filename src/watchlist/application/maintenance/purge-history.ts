import { Injectable } from '@nestjs/common';
import { PlanCatalogue } from '../../../auth/index.js';
import { Config } from '../../../config/config.js';
import { after, Clock, DAY } from '../../../kernel/clock.js';
import { DropBrakeRepository } from '../ports/drop-brake-repository.js';
import { HistoryRepository } from '../ports/history-repository.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';

/** How long facts are kept after the last watcher left. */
const UNWATCHED_RETENTION_MS = 30 * DAY;

/** Deletes history beyond the plan's retention, and names that have been unwatched for long. */
@Injectable()
export class PurgeHistory {
  constructor(
    private readonly history: HistoryRepository,
    private readonly names: WatchedNameRepository,
    private readonly brakes: DropBrakeRepository,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Idempotent. */
  async run(): Promise<{ intervals: number; names: number }> {
    const now = this.clock.now();
    const ago = (span: number) => after(now, -span / this.config.timeScale);
    const since = (days: number) => (days === 0 ? null : ago(days * DAY));
    const byPlan = new Map(this.plans.all().map(({ name, limits }) => [name, since(limits.history_days)]));
    const fallback = since(this.plans.default.limits.history_days);
    await this.brakes.purgeDrops(now);
    const intervals = await this.history.purge({ byPlan, fallback });
    return { intervals, names: await this.names.purgeUnwatched(ago(UNWATCHED_RETENTION_MS)) };
  }
}
