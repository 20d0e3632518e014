/** Services that other modules may use. */
export { AccountLifecycle } from './accounts/account-lifecycle.js';
export { AccountDataRegistry } from './accounts/account-lifecycle.js';
export { AccountUsage } from './accounts/account-usage.js';
export { AccountAdminService } from './accounts/account-admin.service.js';
export { AuditTrail } from './audit/audit-trail.js';
export { ReadAuditTrail } from './audit/audit-trail.js';
export type { AuditAction } from './domain/audit-actions.js';
export { toExtensionAction } from './domain/audit-actions.js';
export { AuditOrigins } from './audit/audit-origins.js';
export {
  type AuditAttributes,
  type AuditEntry,
  type AuditOrigin,
  type AuditRecord,
  diffAttributes,
} from './domain/audit-record.js';
export { Authenticator } from './authentication/authenticator.js';
export { type Caller, type CallerIdentity } from './caller/caller.js';
export { LoadPlans } from './plans/load-plans.js';
export { PlanCatalogue } from './plans/plan-catalogue.js';
export { generateApiKey, parseApiKey } from './domain/api-key-format.js';
export { InvalidToken } from './domain/auth.errors.js';
export { CurrentAccount, CurrentCaller } from './caller/current-account.js';
export {
  AccountAuthenticator,
  EXTENSION_AUTHENTICATORS,
  type Credential,
  type ExtensionAuthenticator,
  type Identity,
} from './authentication/account-authenticator.js';
export { EXTENSION_PLAN_SOURCE, type ExtensionPlanSource, PlanSource, type PlansByName } from './plans/plan-source.js';
export type { Scope, Scopes } from './domain/scope.js';
export { ScopeCatalogue } from './domain/scope.js';
export type { ListedKey as ApiKeyView } from './domain/api-key.js';
