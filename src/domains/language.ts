/**
 * Types, constants and pure functions of the domains module, for the rules of other modules. Services are in index.ts.
 */
export type { AvailableQueries } from './domain/operators.js';
export { DomainName, PublicSuffixes, type SuffixPosition } from './domain/name/domain-name.js';
export { IcannSuffixes } from './domain/name/icann-suffixes.js';
export {
  listNameVariants,
  type NameVariant,
  VARIANT_KINDS,
  type VariantKind,
} from './domain/variants/name-variants.js';
export {
  ENTRY_STATUSES,
  isBeingDeleted,
  LIFECYCLE_PHASES,
  deriveLifecycle,
  nextTimedChange,
  type EntryStatus,
  type Lifecycle,
  type LifecyclePhase,
  EXPIRING_WINDOW_DAYS,
} from './domain/lifecycle/lifecycle.js';
export {
  computeListedDropWindow,
  type DropListId,
  type DropListing,
  LISTING_GRACE_MS,
  forecastDropWindow,
  forecastExpiry,
} from './domain/deletion/expiry-forecast.js';
export {
  absent,
  found,
  areFactsEqual,
  premium,
  reserved,
  type RegistrationFacts,
} from './domain/lifecycle/registration-facts.js';
export { judgeAbsence } from './domain/lookup/absence.js';
export {
  type AbsenceDoubt,
  type Evidence,
  EVIDENCE_SOURCES,
  REGISTRY_SOURCES,
  type EvidenceSource,
  type LookupResult,
  LOOKUP_ERROR_CODES,
  type LookupErrorCode,
  type LookupFailure,
  type Observation,
} from './domain/lookup/lookup-result.js';
export { REGISTRY_STATES } from './registry-check/registry-verdict.js';
export type { EppStatus } from './domain/lifecycle/epp-status.js';
export type { ReleasePeriod } from './domain/lifecycle/release-periods.js';
export {
  type DsRecord,
  isTransferLocked,
  normalizeHostName,
  type RecordParts,
  type Registrar,
  type RegistrationRecord,
  toRegistrationRecord,
} from './domain/record/registration-record.js';
export {
  areRecordValuesEqual,
  confirmInParentZone,
  getRecordValue,
  type ParentZoneAnswer,
  RECORD_KINDS,
  RECORD_VALUE_SCHEMA,
  type RecordChange,
  type RecordKind,
  type RecordValue,
  type DsValue,
  type RegistrarValue,
} from './domain/record/record-values.js';
