/** Exports that load `@nestjs/swagger`. They are not in index.ts, so that importing index.ts does not load Swagger. */
export { withAuditActions } from './audit/audit.dto.js';
export { AllowAnyScope, RequiresScope } from './caller/scope-decorators.js';
