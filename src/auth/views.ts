/** The decorators with which controllers say who may call a route. Not in index.ts: they load the API documentation. */
export { withAuditActions } from './audit/audit.dto.js';
export { AllowAnyScope, RequiresScope } from './caller/scope-decorators.js';
