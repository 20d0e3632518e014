/** Everything of this module that other modules may use, besides auth.module.ts, language.ts and views.ts. */
export { AccountAdminService } from './accounts/account-admin.service.js';
export { AccountDataRegistry, AccountLifecycle } from './accounts/account-lifecycle.js';
export { AccountUsage } from './accounts/account-usage.js';
export { type InvitationToMail, Members } from './members/members.js';
export { AuditTrail } from './audit/audit-trail.js';
export { SecretLinkLimiter } from './authentication/auth-failure-limiter.js';
export { endOfAuthorization } from './authentication/lasting-answers.js';
export { AccountAuthenticator, EXTENSION_AUTHENTICATORS } from './authentication/identity-authenticator.js';
export { type Caller, type CallerIdentity, CurrentAccount, CurrentCaller } from './caller/caller.js';
export { generateApiKey, type ListedKey as ApiKeyView, parseApiKey } from './domain/api-key.js';
export { type AuditAction, toExtensionAction } from './domain/audit-actions.js';
export {
  type AuditAttributes,
  type AuditValue,
  type AuditEntry,
  type AuditOrigin,
  type AuditRecord,
  diffAttributes,
} from './domain/audit-record.js';
export { invitationPath } from './domain/member.js';
export { InsufficientScope, InvalidToken } from './domain/auth.errors.js';
export type { Credential, Identity } from './domain/credential.js';
export { grants, type Role, type Scope, ScopeCatalogue, type Scopes } from './domain/scope.js';
export { IdentityProvider } from './sign-in/identity-provider.js';
export { LoadPlans, PlanCatalogue } from './plans/plan-catalogue.js';
export { EXTENSION_PLAN_SOURCE, PlanSource, type PlansByName } from './plans/plan-source.js';
