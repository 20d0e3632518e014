/** The words of this module that others may use in their own rules. */
export {
  type Asking,
  type Grantable,
  type Lane,
  type OperatorBudget,
  SANDBOX_OPERATOR,
  unknownOperator,
} from './domain/budget.js';
export type { CanaryVerdict } from './domain/canary.js';
export { DomainName, PublicSuffixes } from './domain/domain-name.js';
export {
  ENTRY_STATUSES,
  isBeingDeleted,
  LIFECYCLE_PHASES,
  lifecycleOf,
  nextBoundary,
  type EntryStatus,
  type Lifecycle,
  type LifecyclePhase,
} from './domain/lifecycle.js';
export type { Outlook } from './domain/outlook.js';
export { absent, found, sameFacts, type RegistrationFacts } from './domain/registration.js';
export {
  type Delegation,
  type Evidence,
  EVIDENCE_SOURCES,
  type EvidenceSource,
  type Look,
  LOOK_FAILURE_CODES,
  type LookFailure,
  type LookFailureCode,
  type Proof,
} from './domain/look.js';
