/** Services that other modules may use. */
export { AccountLifecycle } from './application/account-lifecycle.js';
export { AccountDataRegistry } from './application/account-data-registry.js';
export { AccountUsage } from './application/account-usage.js';
export { AccountAdminService } from './application/account-admin.service.js';
export { AuditTrail } from './application/audit/audit-trail.js';
export { ReadAuditTrail } from './application/audit/read-audit-trail.js';
export type { AuditAction } from './domain/audit/audit-actions.js';
export { toExtensionAction } from './domain/audit/audit-actions.js';
export { AuditOrigins } from './application/ports/audit-origins.js';
export {
  type AuditAttributes,
  type AuditEntry,
  type AuditOrigin,
  type AuditRecord,
  diffAttributes,
} from './domain/audit/audit-record.js';
export { Authenticator } from './application/authenticator.js';
export { type Caller, type CallerIdentity } from './application/caller.js';
export { FirstAccount } from './application/first-account.js';
export { LoadPlans } from './application/load-plans.js';
export { PlanCatalogue } from './application/plan-catalogue.js';
export { generateApiKey, parseApiKey } from './domain/api-key-format.js';
export { InvalidToken } from './domain/auth.errors.js';
export { CurrentAccount, CurrentCaller } from './http/current-account.js';
export {
  AccountAuthenticator,
  EXTENSION_AUTHENTICATORS,
  type Credential,
  type ExtensionAuthenticator,
  type Identity,
} from './application/ports/account-authenticator.js';
export {
  EXTENSION_PLAN_SOURCE,
  type ExtensionPlanSource,
  PlanSource,
  type PlansByName,
} from './application/ports/plan-source.js';
export type { Scope, Scopes } from './domain/scope.js';
export { ScopeCatalogue } from './domain/scope-catalogue.js';
export type { ListedKey as ApiKeyView } from './domain/api-key.js';
