/** The decorators that say who may call a route. They are not in index.ts, since they load the API documentation. */
export { withAuditActions } from './audit/audit.dto.js';
export { AllowAnyScope, RequiresScope } from './caller/scope-decorators.js';
