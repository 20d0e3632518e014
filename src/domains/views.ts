/** How this module's words are shown, for the answers of other modules that hold them. */
export { EvidenceView, EXPANSIONS, Expansions, LifecycleView } from './http/check-expansions.dto.js';
export { toEvidenceView, toLifecycleView } from './http/check-views.js';
