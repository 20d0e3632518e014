/** Types that other modules' domains may use. */
export { Plan } from './domain/plan.js';
export { READ_SCOPES, SCOPES, type Scope } from './domain/scope.js';
