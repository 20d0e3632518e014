import { plainToInstance } from 'class-transformer';
import { ArrayNotEmpty, IsArray, IsIn, IsInt, Max, Min, validateSync } from 'class-validator';
import type { PlanLimits } from '../kernel/plan-limits.js';
import type { AddProblem } from './setting-forms.js';

const DAY_MINUTES = 1_440;
const MAX_INTERVAL_MINUTES = 366 * DAY_MINUTES;
/** What an `integer` of PostgreSQL holds. */
const MAX_COUNT = 2_147_483_647;
const MAX_HISTORY_DAYS = 36_500;
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
  @IsArray()
  @ArrayNotEmpty()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(MAX_INTERVAL_MINUTES, { each: true })
  intervals: number[];
  @IsIn([], { message: 'default_interval must be one of the intervals' }) default_interval: number;
  @IsInt() @Min(0) @Max(MAX_COUNT) entries: number;
  @IsInt() @Min(0) @Max(MAX_COUNT) channels: number;
  @IsInt() @Min(0) @Max(MAX_COUNT) requests_per_minute: number;
  @IsInt() @Min(0) @Max(MAX_COUNT) bulk: number;
  @IsInt() @Min(0) @Max(MAX_HISTORY_DAYS) history_days: number;
}

/** Lays the plans of a file over the built-in ones; a plan may name only the limits it changes, a new one names all. */
export function parsePlans(file: unknown, addProblem: AddProblem): Record<string, PlanLimits> {
  const plans: Record<string, PlanLimits> = { ...BUILT_IN_PLANS };
  if (typeof file !== 'object' || file === null || Array.isArray(file)) {
    addProblem('it must be an object of plans by name');
    return plans;
  }
  for (const [name, limits] of Object.entries(file)) {
    const { plan, mistakes } = parsePlan({ ...plans[name], ...(limits as object) });
    for (const mistake of mistakes) addProblem(`${name}: ${mistake}`);
    plans[name] = plan;
  }
  return plans;
}

/**
 * Checks plans that are complete, from wherever they come.
 * @returns the plans, and what is wrong with them, a line each.
 */
export function validatePlans(loaded: unknown): { plans: Record<string, PlanLimits>; problems: string[] } {
  if (typeof loaded !== 'object' || loaded === null || Array.isArray(loaded))
    return { plans: {}, problems: ['they are not an object of plans by name'] };
  const parsed = Object.entries(loaded).map(([name, limits]) => ({ name, ...parsePlan(limits) }));
  return {
    plans: Object.fromEntries(parsed.map(({ name, plan }) => [name, plan])),
    problems: parsed.flatMap(({ name, mistakes }) => mistakes.map((mistake) => `${name}: ${mistake}`)),
  };
}

function parsePlan(limits: unknown): { plan: PlanLimits; mistakes: readonly string[] } {
  const isObject = typeof limits === 'object' && limits !== null && !Array.isArray(limits);
  const plan = plainToInstance(PlanInput, isObject ? { ...limits } : {});
  const mistakes = isObject ? validatePlan(plan) : ['it is not an object of limits'];
  const intervals = Array.isArray(plan.intervals) ? [...plan.intervals].sort((a, b) => a - b) : [];
  return { plan: { ...plan, intervals }, mistakes };
}

function validatePlan(plan: PlanInput): string[] {
  const allowed = Array.isArray(plan.intervals) ? plan.intervals : [];
  return validateSync(plan, { whitelist: true, forbidNonWhitelisted: true })
    .filter((error) => error.property !== 'default_interval' || !allowed.includes(plan.default_interval))
    .flatMap((error) => Object.values(error.constraints ?? {}));
}
