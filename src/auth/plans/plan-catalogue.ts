import { Injectable } from '@nestjs/common';
import { PlansConfig } from '../../config/sections.js';
import { UnknownPlan } from '../domain/auth.errors.js';
import { Plan } from '../domain/plan.js';
import type { PlansByName } from './plan-source.js';

/** The current plans. They may be replaced while the service runs, so callers must not keep them. */
@Injectable()
export class PlanCatalogue {
  private plans: ReadonlyMap<string, Plan> = new Map();
  private readonly defaultName: string;

  constructor({ plans, defaultPlan }: PlansConfig) {
    this.defaultName = defaultPlan;
    this.replace(plans);
  }

  get default(): Plan {
    return this.get(this.defaultName);
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

  /** Returns the plan of an account, or the default plan if no plan has this name any more. */
  forAccount(name: string): Plan {
    return this.plans.get(name) ?? this.default;
  }

  /** @param plans valid plans that include the default plan */
  replace(plans: PlansByName): void {
    this.plans = new Map(Object.entries(plans).map(([name, limits]) => [name, new Plan(name, limits)]));
  }
}
