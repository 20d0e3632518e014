import type { PlanLimits } from '../../kernel/plan-limits.js';

/** Injection token of the plan source that an extension adds: {@link ExtensionPlanSource} or null. */
export const EXTENSION_PLAN_SOURCE = 'extension-plan-source';

/** Plans by name, each with all of its limits. */
export type PlansByName = Readonly<Record<string, PlanLimits>>;

/**
 * Where plans come from, instead of the built-in ones and `PLANS_FILE`. It is asked before the service is ready and
 * each minute after. Accounts on a plan that is gone have the plan of `PLAN_DEFAULT`, which must be among them.
 */
export abstract class PlanSource {
  /**
   * All plans that there are. When it rejects, takes longer than ten seconds or gives plans that are not valid, those
   * of before stay; at the start the service does not start.
   */
  abstract load(): Promise<PlansByName>;
}

export interface ExtensionPlanSource {
  /** The name of the extension. */
  readonly extension: string;
  readonly source: PlanSource;
}
