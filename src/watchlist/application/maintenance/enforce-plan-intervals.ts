import { Injectable, Logger } from '@nestjs/common';
import { PlanCatalogue } from '../../../auth/index.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import { type PlanMinimums, PlanMinimumRepository, type OutOfSyncEntry } from '../ports/plan-minimum-repository.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';

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
    private readonly names: WatchedNameRepository,
    private readonly entries: WatchEntryRepository,
    private readonly plans: PlanCatalogue,
    private readonly schedule: CheckSchedule,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Idempotent and safe in several processes; a restarted run continues where it stopped. */
  async run(signal?: AbortSignal): Promise<number> {
    const planMinimums = this.currentMinimums();
    const failures: Error[] = [];
    let enforced = 0;
    let page = await this.planMinimums.findOutOfSync(planMinimums, null);
    for (
      ;
      page.length > 0 && !signal?.aborted;
      page = await this.planMinimums.findOutOfSync(planMinimums, page.at(-1) ?? null)
    )
      for (const entry of page) {
        const failure = await this.enforce(entry);
        if (failure === null) enforced += 1;
        else if (failures.push(failure) === MAX_FAILURES) throw failure;
      }
    await this.planMinimums.markApplied(planMinimums);
    return enforced;
  }

  private currentMinimums(): PlanMinimums {
    const { default: otherwise } = this.plans;
    const byPlan = new Map(this.plans.all().map((plan) => [plan.name, plan.shortestIntervalMinutes]));
    return { byPlan, fallback: otherwise.shortestIntervalMinutes };
  }

  /** A failed entry does not stop the others; the next run retries it. */
  private async enforce(entry: OutOfSyncEntry): Promise<Error | null> {
    try {
      await this.work.run(() => this.enforceOne(entry));
      return null;
    } catch (error) {
      this.log.warn(`${entry.id} does not have its plan's minimum yet: ${(error as Error).message}`);
      return error as Error;
    }
  }

  private async enforceOne({ accountId, id, domain, minimumMinutes: floorMinutes }: OutOfSyncEntry): Promise<void> {
    // Locks the name first, like every writer of results: the other order would deadlock.
    const name = await this.names.findForUpdate(domain);
    const entry = name && (await this.entries.findForUpdate(accountId, id));
    if (!entry) return;
    entry.applyPlanMinimum(floorMinutes);
    if (entry.paused) return; // a paused entry needs no checks
    const others = await this.names.shortestInterval(domain, id);
    name.setRequiredInterval(
      Math.min(others ?? Infinity, entry.requiredIntervalMinutes),
      this.schedule,
      this.clock.now(),
    );
  }
}
