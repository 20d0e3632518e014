/** The types and functions of this module that the domain code of other modules may import. */
export { isAuditActionFilter } from './domain/audit-actions.js';
export { joinRuns, toAuditRecordView } from './domain/audit-record.js';
export { Plan } from './domain/plan.js';
export { grants, isPossibleScope, isScopeOf, ROLES, type Scope, ScopeCatalogue, SCOPES } from './domain/scope.js';
