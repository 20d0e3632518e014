/** Views of this module for the responses of other modules. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView, RecordView, toRecordView } from './checks/check.dto.js';
export { toEvidenceView, toLifecycleView } from './checks/check-views.js';
