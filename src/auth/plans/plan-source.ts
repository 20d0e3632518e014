import { validatePlans } from '../../config/plans.js';
import type { PlansConfig } from '../../config/sections.js';
import type { PlanLimits } from '../../kernel/plan-limits.js';
import { withTimeout } from '../../kernel/promises.js';
import type { Metrics } from '../../platform/metrics/metrics.js';
import { OutageLog } from '../../platform/logging/outage-log.js';

/** Injection token of `readonly ExtensionPlanSource[]`. The list has one plan source of an extension, or none. */
export const EXTENSION_PLAN_SOURCE = 'extension-plan-source';

/** Plans by name, each with all of its limits. */
export type PlansByName = Readonly<Record<string, PlanLimits>>;

/**
 * Replaces the built-in plans and `PLANS_FILE`. The plans must include `PLAN_DEFAULT`, which accounts get when their
 * plan is gone.
 */
export abstract class PlanSource {
  /**
   * Called at the start and every minute. If the call fails or takes ten seconds, a running service keeps the previous
   * plans, and a starting service does not start.
   */
  abstract load(): Promise<PlansByName>;
}

export interface ExtensionPlanSource {
  readonly extension: string;
  readonly source: PlanSource;
}

const LOAD_TIMEOUT_MS = 10_000;

/** The plan source of an extension. Rejects late or invalid plans, and logs outages. */
export class ValidatedPlanSource {
  private readonly outage: OutageLog;
  private isCurrent = true;

  constructor(
    private readonly added: ExtensionPlanSource,
    private readonly config: Pick<PlansConfig, 'defaultPlan'>,
    metrics: Pick<Metrics, 'gauge'>,
  ) {
    this.outage = OutageLog.forDependency(`the plan source of the extension ${added.extension}`);
    const help = '1 while the plans are those of the latest load, 0 while those of before stay.';
    metrics.gauge('namewatch_plans_current', help, () => Promise.resolve(this.isCurrent ? 1 : 0));
  }

  async load(): Promise<PlansByName> {
    try {
      const plans = this.validate(await withTimeout(LOAD_TIMEOUT_MS, this.added.source.load()));
      this.isCurrent = true;
      this.outage.reportUp();
      return plans;
    } catch (error) {
      const { message } = error as Error;
      this.isCurrent = false;
      this.outage.reportDown(message);
      throw new Error(`the plans of the extension ${this.added.extension}: ${message}`, { cause: error });
    }
  }

  private validate(loaded: unknown): PlansByName {
    const { plans, problems } = validatePlans(loaded);
    if (problems.length > 0) throw new Error(problems.join('; '));
    const { defaultPlan } = this.config;
    if (!Object.hasOwn(plans, defaultPlan))
      throw new Error(`PLAN_DEFAULT must be one of ${Object.keys(plans).join(', ')}, and is ${defaultPlan}`);
    return plans;
  }
}
