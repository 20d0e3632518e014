/** Types that other modules' domains may use. */
export { isAuditActionFilter } from './domain/audit-actions.js';
export { Plan } from './domain/plan.js';
export { ScopeCatalogue } from './domain/scope.js';
export { isPossibleScope, isScopeOf, type Scope, SCOPES } from './domain/scope.js';
