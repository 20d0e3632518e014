import { Injectable, Logger } from '@nestjs/common';
import { PlanCatalogue } from '../../../auth/index.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { CheckSchedule } from '../../domain/policies/check-schedule.js';
import { type PlanMinimums, PlanMinimumRepository, type OutOfSyncEntry } from '../ports/plan-minimum-repository.js';
import { WatchEntryRepository } from '../../domain/entry/watch-entry-repository.js';
import { WatchedNameRepository } from '../../domain/watched-name/watched-name-repository.js';

/** Where so many fail, something other than an entry is wrong. */
const FAILURES_BORNE = 10;

/**
 * Holds entries to what their account's plan allows by now, be it that the account changed its plan or the plan its
 * intervals. They move by nothing of it, and nobody is told; a better plan gives back what was chosen.
 */
@Injectable()
export class EnforcePlanIntervals {
  private readonly log = new Logger(EnforcePlanIntervals.name);

  constructor(
    private readonly floors: PlanMinimumRepository,
    private readonly names: WatchedNameRepository,
    private readonly entries: WatchEntryRepository,
    private readonly plans: PlanCatalogue,
    private readonly cadence: CheckSchedule,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Harmless to repeat, by several processes at once too; begun again it goes on where it was cut off. */
  async run(signal?: AbortSignal): Promise<number> {
    const floors = this.allowed();
    const failures: Error[] = [];
    let held = 0;
    let page = await this.floors.unheld(floors, null);
    for (; page.length > 0 && !signal?.aborted; page = await this.floors.unheld(floors, page.at(-1) ?? null))
      for (const entry of page) {
        const failure = await this.hold(entry);
        if (failure === null) held += 1;
        else if (failures.push(failure) === FAILURES_BORNE) throw failure;
      }
    await this.floors.settle(floors);
    return held;
  }

  private allowed(): PlanMinimums {
    const { default: otherwise } = this.plans;
    const byPlan = new Map(this.plans.all().map((plan) => [plan.name, plan.shortestIntervalMinutes]));
    return { byPlan, otherwise: otherwise.shortestIntervalMinutes };
  }

  /** Each fails alone, and is tried again by the next run. */
  private async hold(entry: OutOfSyncEntry): Promise<Error | null> {
    try {
      await this.work.run(() => this.holdOne(entry));
      return null;
    } catch (error) {
      this.log.warn(`${entry.id} is not held to its plan yet: ${(error as Error).message}`);
      return error as Error;
    }
  }

  private async holdOne({ accountId, id, domain, floorMinutes }: OutOfSyncEntry): Promise<void> {
    // The name is locked first, as by those who record looks: in the other order the two would wait for each other.
    const name = await this.names.find(domain);
    const entry = name && (await this.entries.find(accountId, id));
    if (!entry) return;
    entry.holdTo(floorMinutes);
    if (entry.paused) return; // then it has no part in the name's promise
    const others = await this.names.tightestInterval(domain, id);
    name.promise(Math.min(others ?? Infinity, entry.promisedMinutes), this.cadence, this.clock.now());
  }
}
