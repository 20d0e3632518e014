import { Injectable, Logger } from '@nestjs/common';
import { PlanCatalogue } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { CheckSchedule } from '../domain/check-schedule.js';
import { type PlanMinimums, PlanMinimumRepository, type OutOfSyncEntry } from './plan-minimums.repository.js';
import { EntryBatch, type LockedEntry } from '../entries/entry-batch.js';

/** Entries per transaction, so that each is short. */
const BATCH_SIZE = 100;
/** After this many failures the cause is probably not a single entry. */
const MAX_FAILURES = 10;

/**
 * Applies the interval minimum of the account's plan to its entries after the account changed its plan, or the plan its
 * intervals. No entry moves and no event is published; with a better plan the chosen interval applies again.
 */
@Injectable()
export class EnforcePlanIntervals {
  private readonly log = new Logger(EnforcePlanIntervals.name);

  constructor(
    private readonly planMinimums: PlanMinimumRepository,
    private readonly batches: EntryBatch,
    private readonly plans: PlanCatalogue,
    private readonly schedule: CheckSchedule,
    private readonly clock: Clock,
  ) {}

  /** Idempotent and safe in several processes; a restarted run continues where it stopped. */
  async run(signal?: AbortSignal): Promise<number> {
    const planMinimums = this.currentMinimums();
    const failures: Error[] = [];
    let enforced = 0;
    let last: OutOfSyncEntry | null = null;
    do {
      const page: readonly OutOfSyncEntry[] = await this.planMinimums.findOutOfSync(planMinimums, last);
      for (const batch of toBatches(page)) {
        const failed = await this.enforce(batch);
        enforced += batch.length - failed.length;
        failures.push(...failed);
        const [lastTolerated] = failures.slice(MAX_FAILURES - 1);
        if (lastTolerated) throw lastTolerated;
      }
      last = page.at(-1) ?? null;
    } while (last && !signal?.aborted);
    await this.planMinimums.markApplied(planMinimums);
    return enforced;
  }

  private currentMinimums(): PlanMinimums {
    const { default: otherwise } = this.plans;
    const byPlan = new Map(this.plans.all().map((plan) => [plan.name, plan.shortestIntervalMinutes]));
    return { byPlan, fallback: otherwise.shortestIntervalMinutes };
  }

  /** A failed entry does not stop the others; the next run retries it. @returns the failures */
  private async enforce(batch: readonly OutOfSyncEntry[]): Promise<Error[]> {
    const [{ accountId, minimumMinutes }] = batch as readonly [OutOfSyncEntry];
    const change = (locked: readonly LockedEntry[]) => locked.forEach((one) => this.enforceOne(one, minimumMinutes));
    try {
      await this.batches.change(
        accountId,
        batch.map(({ domain }) => domain.ascii),
        change,
      );
      return [];
    } catch {
      const failures: Error[] = [];
      for (const { id, domain } of batch)
        await this.batches.changeOne(accountId, domain.ascii, change).catch((error: Error) => {
          this.log.warn(`${id} does not have its plan's minimum yet: ${error.message}`);
          failures.push(error);
        });
      return failures;
    }
  }

  private enforceOne({ entry, name, othersMinutes }: LockedEntry, minimumMinutes: number): void {
    entry.applyPlanMinimum(minimumMinutes);
    if (entry.paused) return; // a paused entry needs no checks
    const required = Math.min(othersMinutes ?? Infinity, entry.requiredIntervalMinutes);
    name.setRequiredInterval(required, this.schedule, this.clock.now());
  }
}

/** Returns batches that have entries of one account each. */
function toBatches(page: readonly OutOfSyncEntry[]): OutOfSyncEntry[][] {
  return [...Map.groupBy(page, ({ accountId }) => accountId).values()].flatMap((entries) =>
    Array.from({ length: Math.ceil(entries.length / BATCH_SIZE) }, (_, n) =>
      entries.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE),
    ),
  );
}
