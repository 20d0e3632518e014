import { BUILT_IN_OPERATORS, DEFAULT_BUDGET } from '../../src/config/budgets.js';
import type { OperatorLoad } from './installation.js';

/** The mix of docs/budgets.md: parts of all names. An assumption, as every mix is. */
const MIX = { verisign: 0.5, pir: 0.1, 'identity-digital': 0.1, denic: 0.05 };
/** The rest, at so many operators of the default rate limit. */
const OTHERS = 50;
/** Enough to limit nothing. */
const UNLIMITED_CONCURRENCY = 1_000_000;

/** @param limitFactor how many times the built-in rate limits the operators allow; null: no limits */
export function toOperators(names: number, limitFactor: number | null): OperatorLoad[] {
  const named = Object.entries(MIX).map(([name, part]) => ({
    name,
    names: names * part,
    ...(BUILT_IN_OPERATORS[name] ?? DEFAULT_BUDGET),
  }));
  const rest = names - named.reduce((sum, one) => sum + one.names, 0);
  const others = Array.from({ length: OTHERS }, (_, i) => ({
    name: `other-${i + 1}`,
    names: rest / OTHERS,
    ...DEFAULT_BUDGET,
  }));
  return [...named, ...others].map(({ name, names: share, perSecond, concurrency }) => ({
    name,
    names: share,
    perSecond: limitFactor === null ? 0 : perSecond * limitFactor,
    concurrency: limitFactor === null ? UNLIMITED_CONCURRENCY : Math.ceil(concurrency * limitFactor),
  }));
}
