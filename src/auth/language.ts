/** The words of this module that others may use in their own rules. */
export { Plan, type PlanLimits } from './domain/plan.js';
export { SCOPES, type Scope } from './domain/scope.js';
