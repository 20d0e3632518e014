/** The terms of this module that other modules may use in their own rules. */
export {
  type AdmissionRequest,
  type AvailableQuota,
  type LookupPriority,
  type OperatorBudget,
  SANDBOX_OPERATOR,
  unknownOperator,
} from './domain/lookup/operator-budget.js';
export type { CanaryResult } from './domain/lookup/canary-result.js';
export { DomainName } from './domain/name/domain-name.js';
export { PublicSuffixes } from './domain/name/public-suffixes.js';
export {
  ENTRY_STATUSES,
  isBeingDeleted,
  LIFECYCLE_PHASES,
  deriveLifecycle,
  nextTimedChange,
  type EntryStatus,
  type Lifecycle,
  type LifecyclePhase,
} from './domain/lifecycle/lifecycle.js';
export { type ExpiryForecast, forecastDropWindow, forecastExpiry } from './domain/deletion/expiry-forecast.js';
export { absent, found, areFactsEqual, type RegistrationFacts } from './domain/lifecycle/registration-facts.js';
export {
  type Delegation,
  type Evidence,
  EVIDENCE_SOURCES,
  type EvidenceSource,
  type LookupResult,
  LOOKUP_ERROR_CODES,
  type LookupFailure,
  type LookupErrorCode,
  type Observation,
} from './domain/lookup/lookup-result.js';
