/** What other modules may use of this one. */
export { AccountLifecycle } from './application/account-lifecycle.js';
export { AccountParts } from './application/account-parts.js';
export { AccountUse } from './application/account-usage.js';
export { Administration } from './application/account-admin.service.js';
export { Authenticate, type Caller } from './application/authenticate.js';
export { FailedAuthentications } from './application/auth-failure-limiter.js';
export { FirstAccount } from './application/first-account.js';
export { RequestLimits } from './application/request-limiter.js';
export { Plans } from './application/plans.js';
export { generateKey, readKey } from './domain/api-key-format.js';
export { authenticateRequests } from './http/authentication.js';
export { CurrentAccount } from './http/current-account.js';
export { RequiresScope } from './http/requires-scope.js';
export type { ListedKey as ApiKeyView } from './domain/api-key.js';
