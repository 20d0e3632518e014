import { DomainError } from '../../kernel/domain-error.js';
import { evidenceView } from './check-views.js';
import type { LookFailure, LookFailureCode } from '../domain/look.js';

/** When to ask again if the registry does not say; seconds. */
const ASK_AGAIN: Readonly<Record<LookFailureCode, number>> = {
  registry_unreachable: 60,
  registry_answer_unusable: 300,
  registry_throttled: 60,
  registry_timeout: 30,
  tld_unsupported: 0,
};

/** The registry could not be asked, or said nothing that proves anything: an error, never a status. */
export class RegistryFailed extends DomainError {
  /** @param withEvidence whether the caller wants to see what was said */
  constructor({ code, registry, retryAfterSeconds, evidence }: LookFailure, withEvidence = false) {
    const details =
      code === 'tld_unsupported'
        ? { field: 'domain' }
        : { registry, retry_after_seconds: retryAfterSeconds ?? ASK_AGAIN[code] };
    const said = withEvidence ? { evidence: evidence.map(evidenceView) } : {};
    super(code, `No answer of a registry proves anything about this name now.`, { ...details, ...said });
  }
}
