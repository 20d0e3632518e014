/** The types and functions of this module that the domain code of other modules may import. */
export { isAuditActionFilter } from './domain/audit-actions.js';
export { joinRuns, runOf } from './domain/audit-runs.js';
export { Plan } from './domain/plan.js';
export { ROLES } from './domain/role.js';
export { grants, isPossibleScope, isScopeOf, type Scope, ScopeCatalogue, SCOPES } from './domain/scope.js';
