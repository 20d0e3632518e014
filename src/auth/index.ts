/** Services that other modules may use. */
export { AccountLifecycle } from './application/account-lifecycle.js';
export { AccountDataRegistry } from './application/account-data-registry.js';
export { AccountUsage } from './application/account-usage.js';
export { AccountAdminService } from './application/account-admin.service.js';
export { Authenticator, type Caller } from './application/authenticator.js';
export { AuthFailureLimiter } from './application/auth-failure-limiter.js';
export { FirstAccount } from './application/first-account.js';
export { RequestLimiter } from './application/request-limiter.js';
export { PlanCatalogue } from './application/plan-catalogue.js';
export { generateApiKey, parseApiKey } from './domain/api-key-format.js';
export { registerAuthentication } from './http/authentication.js';
export { CurrentAccount } from './http/current-account.js';
export { RequiresScope } from './http/requires-scope.js';
export type { ListedKey as ApiKeyView } from './domain/api-key.js';
