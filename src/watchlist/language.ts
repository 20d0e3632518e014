/** The types, constants and functions that other modules may use. */
export {
  ENTRY_STATUSES,
  EVIDENCE_SOURCES,
  LIFECYCLE_PHASES,
  LOOKUP_ERROR_CODES,
  type LookupErrorCode,
  RECORD_KINDS,
  RECORD_VALUE_SCHEMA,
} from '../domains/language.js';
export {
  type ChangeEventData,
  type ConfirmedEventData,
  type DriftChangedEventData,
  type ExpiringEventData,
  type FailingEventData,
  type RecordChangedEventData,
  type WatchlistEventData,
} from './domain/watch-events.js';
export {
  EXPECTED_MEMBERS,
  type ExpectedMember,
  type ExpectedRecord,
  type Purpose,
  PURPOSES,
  type Renewal,
} from './domain/entry-settings.js';
export { NEED_NAMES } from './domain/needs.js';
export { MOVES, type Move } from './domain/move.js';
export { exampleEvents } from './domain/example-events.js';
export { toNeedCondition } from './entries/entry-filters.sql.js';
