import { Injectable } from '@nestjs/common';
import { PlansConfig } from '../../config/sections.js';
import { UnknownPlan } from '../domain/auth.errors.js';
import { Plan } from '../domain/plan.js';

/** The configured plans. */
@Injectable()
export class PlanCatalogue {
  private readonly plans: ReadonlyMap<string, Plan>;
  readonly default: Plan;

  constructor(config: PlansConfig) {
    this.plans = new Map(Object.entries(config.plans).map(([name, limits]) => [name, new Plan(name, limits)]));
    this.default = this.get(config.defaultPlan);
  }

  /** @throws UnknownPlan */
  get(name: string): Plan {
    const plan = this.plans.get(name);
    if (!plan) throw new UnknownPlan(name, [...this.plans.keys()]);
    return plan;
  }

  all(): readonly Plan[] {
    return [...this.plans.values()];
  }

  /** The plan of an account; the default if the plan is no longer configured. */
  forAccount(name: string): Plan {
    return this.plans.get(name) ?? this.default;
  }
}
