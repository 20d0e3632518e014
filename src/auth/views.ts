/** How controllers of all modules say who may call a route. Separate from index.ts: it loads the API documentation. */
export { AllowAnyScope } from './http/allow-any-scope.js';
export { withAuditActions } from './http/audit/audit.dto.js';
export { RequiresScope } from './http/requires-scope.js';
