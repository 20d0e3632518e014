export { CheckDomain, LOOK_DEADLINE, type CheckAnswer, type CheckResult } from './application/check-domain.js';
export { Canaries } from './application/canaries.js';
export { AccountLooks } from './application/account-looks.js';
export { LookListeners, type LookListener } from './application/look-listeners.js';
export { OperatorBudgets } from './domain/operator-budgets.js';
export { RegistryOutlook } from './application/registry-outlook.js';
export { LoneLookup, type SavedAnswer } from './lone-lookup.js';
