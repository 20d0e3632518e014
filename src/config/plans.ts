import type { PlanLimits } from '../kernel/plan-limits.js';
import type { AddProblem } from './setting-forms.js';

const DAY_MINUTES = 1_440;
const MAX_INTERVAL_MINUTES = 366 * DAY_MINUTES;
/** The largest `integer` in PostgreSQL. */
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

/** The built-in plans. The plans in `PLANS_FILE` are merged into them. */
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

/** The largest value of each numeric limit. In a plan, 0 means no limit. */
const MAXIMA: Readonly<Record<Exclude<keyof PlanLimits, 'intervals' | 'default_interval'>, number>> = {
  entries: MAX_COUNT,
  channels: MAX_COUNT,
  requests_per_minute: MAX_COUNT,
  bulk: MAX_COUNT,
  history_days: MAX_HISTORY_DAYS,
};

type Fields = Readonly<Record<string, unknown>>;

/** Merges a file into the built-in plans. A new plan in the file needs all limits. */
export function parsePlans(file: unknown, addProblem: AddProblem): Record<string, PlanLimits> {
  const builtIn: Fields = BUILT_IN_PLANS;
  const laidOver = isFields(file)
    ? Object.entries(file).map(([name, own]) => [name, isFields(own) ? { ...toFields(builtIn[name]), ...own } : own])
    : null;
  const { plans, problems } = validatePlans(laidOver && Object.fromEntries(laidOver));
  problems.forEach(addProblem);
  return { ...BUILT_IN_PLANS, ...plans };
}

/** Checks plans of an extension or of the settings. The returned plans are valid only if `problems` is empty. */
export function validatePlans(loaded: unknown): { plans: Record<string, PlanLimits>; problems: string[] } {
  if (!isFields(loaded)) return { plans: {}, problems: ['they are not an object of plans by name'] };
  const plans = Object.entries(loaded).map(([name, limits]) => [name, toPlan(toFields(limits))] as const);
  const problems = Object.entries(loaded).flatMap(([name, limits]) =>
    (isFields(limits) ? findMistakes(limits) : ['it is not an object of limits']).map((text) => `${name}: ${text}`),
  );
  return { plans: Object.fromEntries(plans), problems };
}

function findMistakes({ intervals, default_interval, ...limits }: Fields): string[] {
  const allowed: readonly unknown[] = Array.isArray(intervals) ? intervals : [];
  const mistakes: string[] = [];
  if (allowed.length === 0 || !allowed.every((minutes) => isWhole(minutes, 1, MAX_INTERVAL_MINUTES)))
    mistakes.push(`intervals must be a list of whole minutes from 1 to ${MAX_INTERVAL_MINUTES}`);
  if (!allowed.includes(default_interval)) mistakes.push('default_interval must be one of the intervals');
  for (const [name, maximum] of Object.entries(MAXIMA))
    if (!isWhole(limits[name], 0, maximum)) mistakes.push(`${name} must be a whole number from 0 to ${maximum}`);
  for (const name of Object.keys(limits))
    if (!Object.hasOwn(MAXIMA, name)) mistakes.push(`${name} is unknown; ${Object.keys(MAXIMA).join(', ')} are not`);
  return mistakes;
}

function toPlan(limits: Fields): PlanLimits {
  const intervals = Array.isArray(limits['intervals'])
    ? (limits['intervals'] as number[]).toSorted((a, b) => a - b)
    : [];
  return { ...limits, intervals } as unknown as PlanLimits;
}

function isWhole(value: unknown, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
}

function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
