/** The views of this module's terms, for responses of other modules. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView } from './checks/check-expansions.dto.js';
export { RecordView, toRecordView } from './checks/record-view.js';
export { toEvidenceView, toLifecycleView } from './checks/check-views.js';
