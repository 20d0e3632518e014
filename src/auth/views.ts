/** How controllers of all modules say who may call a route. Separate from index.ts: it loads the API documentation. */
export { withAuditActions } from './audit/audit.dto.js';
export { AllowAnyScope, RequiresScope } from './caller/scope-decorators.js';
