import { Injectable } from '@nestjs/common';
import { PlanCatalogue } from '../../auth/index.js';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { HistoryRepository } from '../records/history.repository.js';
import { RegistrationRecordRepository } from '../records/registration-records.repository.js';
import { WatchedNameRepository } from '../watched-names.repository.js';

/** How long an unwatched name and its facts are kept after the last check. */
const UNWATCHED_RETENTION_DAYS = 30;

/** Deletes history and records beyond the plan's retention, and names that nobody watches any more. */
@Injectable()
export class PurgeHistory {
  constructor(
    private readonly history: HistoryRepository,
    private readonly names: WatchedNameRepository,
    private readonly records: RegistrationRecordRepository,
    private readonly plans: PlanCatalogue,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /** Idempotent. */
  async run(signal?: AbortSignal): Promise<{ intervals: number; records: number; names: number }> {
    const now = this.clock.now();
    const daysAgo = (days: number) => after(now, -days * this.units.day);
    const since = (days: number) => (days === 0 ? null : daysAgo(days));
    const byPlan = new Map(this.plans.all().map(({ name, limits }) => [name, since(limits.history_days)]));
    const fallback = since(this.plans.default.limits.history_days);
    const intervals = await this.history.purge({ byPlan, fallback }, signal);
    // Accounts share the records of a name, so the longest retention of all plans counts.
    const keptLongest = Math.max(...this.plans.all().map(({ limits }) => limits.history_days || Infinity));
    const records = keptLongest === Infinity ? 0 : await this.records.purge(daysAgo(keptLongest), signal);
    return { intervals, records, names: await this.names.purgeUnwatched(daysAgo(UNWATCHED_RETENTION_DAYS), signal) };
  }
}
