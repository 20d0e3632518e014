// Breaks the rule: a type of a module is a module all the same.
import type { OperatorBudget } from '../domains/language.js';
import type { PlanLimits } from '../kernel/plan-limits.js';

export type Budgets = OperatorBudget & PlanLimits;
