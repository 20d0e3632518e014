import { DomainError } from '../../kernel/domain-error.js';
import { toEvidenceView } from './check-views.js';
import type { AbsenceDoubt, LookupFailure, LookupErrorCode } from '../domain/lookup/lookup-result.js';

/** Where the registry sends no Retry-After. */
const DEFAULT_RETRY_AFTER_SECONDS: Readonly<Record<LookupErrorCode, number>> = {
  registry_unreachable: 60,
  registry_answer_unusable: 300,
  registry_throttled: 60,
  registry_timeout: 30,
  tld_unsupported: 0,
};

const DOUBTS: Readonly<Record<AbsenceDoubt, string>> = {
  delegated: 'The registry has no record of this name, but its zone delegated it when it last answered.',
  second_witness: 'The registry had no record of this name, and said otherwise when it was asked again.',
  drops_held:
    'The registry has no record of this name, and is not believed at the moment: too many of its names were dropped within an hour.',
  canary_failed:
    'The registry has no record of this name, and is not believed at the moment: its last answers about names that are known were wrong.',
};

/** The registry could not be queried or gave no usable answer: an error, never a status. */
export class RegistryLookupError extends DomainError {
  /** @param withEvidence whether the request has `expand=evidence` */
  constructor({ code, registry, retryAfterSeconds, evidence, doubt }: LookupFailure, withEvidence = false) {
    const details =
      code === 'tld_unsupported'
        ? { field: 'domain' }
        : { registry, retry_after_seconds: retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS[code] };
    const reason = doubt ? { reason: DOUBTS[doubt] } : {};
    const evidenceDetails = withEvidence ? { evidence: evidence.map(toEvidenceView) } : {};
    super(code, 'No registry gave a usable answer for this name.', { ...details, ...reason, ...evidenceDetails });
  }
}
