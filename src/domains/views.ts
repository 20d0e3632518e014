/** The views of this module's terms, for responses of other modules. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView } from './checks/check.dto.js';
export { RecordView, toRecordView } from './checks/check.dto.js';
export { toEvidenceView, toLifecycleView } from './checks/check-views.js';
