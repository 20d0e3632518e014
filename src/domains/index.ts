export { CheckDomain, LOOK_DEADLINE, type CheckAnswer, type CheckResult } from './application/check-domain.js';
export { LookListeners, type LookListener } from './application/look-listeners.js';
export { LoneLookup, type SavedAnswer } from './lone-lookup.js';
