import type { PlanLimits } from '../../../kernel/plan-limits.js';

/** Where plans come from. They are loaded again each minute; when that fails the last good ones stay. */
export abstract class PlanSource {
  abstract load(): Promise<Readonly<Record<string, PlanLimits>>>;
}
