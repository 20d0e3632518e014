import { Inject, Injectable } from '@nestjs/common';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { PlansConfig } from '../../config/sections.js';
import { MINUTE } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { diffAttributes } from '../domain/audit-record.js';
import { UnknownPlan } from '../domain/auth.errors.js';
import { Plan } from '../domain/plan.js';
import {
  EXTENSION_PLAN_SOURCE,
  type ExtensionPlanSource,
  type PlansByName,
  ValidatedPlanSource,
} from './plan-source.js';

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

/** The time in which equal changes of plans make only one audit record, because every process notices a change. */
const SAME_CHANGE_MS = 5 * MINUTE;

@Injectable()
export class LoadPlans {
  /** null if no extension provides plans. The catalogue then keeps the plans of the settings. */
  private readonly source: ValidatedPlanSource | null;

  constructor(
    private readonly catalogue: PlanCatalogue,
    @Inject(EXTENSION_PLAN_SOURCE) [added]: readonly ExtensionPlanSource[],
    config: PlansConfig,
    metrics: Metrics,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {
    this.source = added ? new ValidatedPlanSource(added, config, metrics) : null;
  }

  /** @throws InvalidConfigurationError if the plans cannot be loaded, so that the service does not start */
  async requirePlans(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      throw new InvalidConfigurationError([(error as Error).message], { cause: error });
    }
  }

  /** Loads the plans when a process starts. If the source fails, rejects and keeps the plans of the settings. */
  async load(): Promise<void> {
    if (this.source) this.catalogue.replace(await this.source.load());
  }

  /** Rejects and keeps the previous plans if loading, or recording a change, fails. */
  async reload(): Promise<void> {
    if (!this.source) return;
    const plans = await this.source.load();
    await this.recordChange(plans);
    this.catalogue.replace(plans);
  }

  private async recordChange(plans: PlansByName): Promise<void> {
    const current = Object.fromEntries(this.catalogue.all().map(({ name, limits }) => [name, limits]));
    const changed = diffAttributes(toAuditAttributes(current), toAuditAttributes(plans));
    if (changed === null) return;
    const entry = { action: 'plans.changed' as const, accountId: null, targetId: null, ...changed };
    await this.work.run(() => this.audit.recordOnce(entry, SAME_CHANGE_MS));
  }
}

/** Returns the limits of each plan as sorted texts: `["channels=5","entries=100"]`. */
function toAuditAttributes(plans: PlansByName): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(plans).sort();
  const toLimits = (limits: object) =>
    Object.entries(limits)
      .map(([limit, value]) => `${limit}=${JSON.stringify(value)}`)
      .sort();
  return Object.fromEntries(names.map((name) => [name, toLimits(plans[name] ?? {})]));
}
