import { Injectable } from '@nestjs/common';
import { PlansConfig } from '../../config/sections.js';
import { UnknownPlan } from '../domain/auth.errors.js';
import { Plan } from '../domain/plan.js';
import type { PlansByName } from './plan-source.js';

/** The plans of this moment: they may be replaced while the service runs, so that callers keep none. */
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

  /** The plan of an account; the default if there is no plan of this name any more. */
  forAccount(name: string): Plan {
    return this.plans.get(name) ?? this.default;
  }

  /** @param plans valid ones, with the default among them */
  replace(plans: PlansByName): void {
    this.plans = new Map(Object.entries(plans).map(([name, limits]) => [name, new Plan(name, limits)]));
  }
}
