/** Response views of the domains module, for use in the responses of other modules. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView, RecordView, toRecordView } from './checks/check.dto.js';
export { toEvidenceView, toLifecycleView } from './checks/check-views.js';
