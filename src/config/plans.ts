import { plainToInstance } from 'class-transformer';
import { ArrayNotEmpty, IsIn, IsInt, Min, validateSync } from 'class-validator';
import type { PlanLimits } from '../kernel/plan-limits.js';

const DAY_MINUTES = 1_440;
const BUSINESS = {
  intervals: [5, 15, 30, 60, 180, 360, 720, DAY_MINUTES],
  default_interval: 60,
  entries: 1_000,
  channels: 50,
  requests_per_minute: 600,
  bulk: 1_000,
  history_days: 730,
};

/** The built-in plans; `PLANS_FILE` is laid over them, plan by plan. */
export const BUILT_IN_PLANS: Readonly<Record<string, PlanLimits>> = {
  free: {
    intervals: [720, DAY_MINUTES],
    default_interval: DAY_MINUTES,
    entries: 10,
    channels: 2,
    requests_per_minute: 60,
    bulk: 20,
    history_days: 90,
  },
  pro: {
    intervals: [60, 180, 360, 720, DAY_MINUTES],
    default_interval: 360,
    entries: 100,
    channels: 10,
    requests_per_minute: 300,
    bulk: 100,
    history_days: 365,
  },
  business: BUSINESS,
  selfhost: { ...BUSINESS, default_interval: 360, entries: 100_000, history_days: 365 },
};

class PlanInput implements PlanLimits {
  @ArrayNotEmpty() @IsInt({ each: true }) @Min(1, { each: true }) intervals: number[];
  @IsIn([], { message: 'default_interval must be one of the intervals' }) default_interval: number;
  @IsInt() @Min(0) entries: number;
  @IsInt() @Min(0) channels: number;
  @IsInt() @Min(0) requests_per_minute: number;
  @IsInt() @Min(0) bulk: number;
  @IsInt() @Min(0) history_days: number;
}

/**
 * Lays the plans of a file over the built-in ones; a plan may name only the limits it changes, a new one names all.
 * @returns the plans, and what is wrong with the file, a line each.
 */
export function parsePlans(file: unknown): { plans: Record<string, PlanLimits>; problems: string[] } {
  const plans: Record<string, PlanLimits> = { ...BUILT_IN_PLANS };
  if (file === undefined) return { plans, problems: [] };
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    return { plans, problems: ['PLANS_FILE must hold an object of plans by name'] };
  const problems: string[] = [];
  for (const [name, limits] of Object.entries(file)) {
    const plan = plainToInstance(PlanInput, { ...plans[name], ...(limits as object) });
    problems.push(...validatePlan(plan).map((problem) => `PLANS_FILE: ${name}: ${problem}`));
    plans[name] = { ...plan, intervals: [...(plan.intervals ?? [])].sort((a, b) => a - b) };
  }
  return { plans, problems };
}

function validatePlan(plan: PlanInput): string[] {
  const allowed = Array.isArray(plan.intervals) ? plan.intervals : [];
  return validateSync(plan, { whitelist: true, forbidNonWhitelisted: true })
    .filter((error) => error.property !== 'default_interval' || !allowed.includes(plan.default_interval))
    .flatMap((error) => Object.values(error.constraints ?? {}));
}
