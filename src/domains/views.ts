/** The views of this module's terms, for responses of other modules. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView } from './http/check-expansions.dto.js';
export { RecordView, toRecordView } from './http/record-view.js';
export { toEvidenceView, toLifecycleView } from './http/check-views.js';
