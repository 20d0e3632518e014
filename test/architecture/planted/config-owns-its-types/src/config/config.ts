// Breaks the rule: the platform is configured, it does not configure.
import { poolSize } from '../platform/pool.js';
import type { PlanLimits } from '../kernel/plan-limits.js';

export const load = (limits: PlanLimits) => ({ limits, poolSize });
