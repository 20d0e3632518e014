import type { PlanLimits } from '../kernel/plan-limits.js';

export const plans: readonly PlanLimits[] = [];
