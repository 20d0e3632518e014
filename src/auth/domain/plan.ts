import { DomainError } from '../../kernel/domain-error.js';
import type { PlanLimits } from '../../kernel/plan-limits.js';

class IntervalNotAllowed extends DomainError {
  constructor(plan: Plan, minutes: number) {
    super('interval_not_allowed', `The ${plan.name} plan does not allow an interval of ${minutes} minutes.`, {
      field: 'interval_minutes',
      allowed_values: plan.limits.intervals,
    });
  }
}

class PlanLimitReached extends DomainError {
  constructor(plan: Plan, what: 'entries' | 'channels') {
    const limit = plan.limits[what];
    super('plan_limit_reached', `The ${plan.name} plan allows ${limit} ${what}.`, { limit });
  }
}

class TooManyDomains extends DomainError {
  constructor(plan: Plan, field: string) {
    const limit = plan.limits.bulk;
    super('too_many_domains', `The ${plan.name} plan allows ${limit} names in one call.`, { field, limit });
  }
}

/** A named set of limits for accounts. */
export class Plan {
  constructor(
    readonly name: string,
    readonly limits: PlanLimits,
  ) {}

  /** Returns the requested interval in minutes, or the plan's default. @throws IntervalNotAllowed */
  resolveInterval(requested: number | undefined): number {
    if (requested === undefined) return this.limits.default_interval;
    if (!this.limits.intervals.includes(requested)) throw new IntervalNotAllowed(this, requested);
    return requested;
  }

  /** The plan's shortest interval. It also holds for entries that got a shorter interval under an earlier plan. */
  get shortestIntervalMinutes(): number {
    return Math.min(...this.limits.intervals);
  }

  /** @throws PlanLimitReached when `current` has reached the limit */
  requireRoomFor(what: 'entries' | 'channels', current: number): void {
    const limit = this.limits[what];
    if (limit > 0 && current >= limit) throw new PlanLimitReached(this, what);
  }

  /**
   * @param names the number of domain names
   * @param field the field of the request that has the names
   * @throws TooManyDomains
   */
  requireBulkSize(names: number, field = 'domains'): void {
    const limit = this.limits.bulk;
    if (limit > 0 && names > limit) throw new TooManyDomains(this, field);
  }
}
