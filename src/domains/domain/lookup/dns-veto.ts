import { DAY } from '../../../kernel/clock.js';
import { doubtAbsence } from './availability.js';
import type { Delegation, Evidence, LookupFailure, LookupResult, Observation } from './lookup-result.js';

/** How long a veto is kept while DNS gives no conclusive answer. */
export const DNS_VETO_KEPT_MS = DAY;

export interface DelegationResult {
  readonly delegation: Delegation;
  readonly evidence: Evidence;
  /** Inconclusive only because the timeout left too little time for the query. */
  readonly ranOutOfTime?: boolean;
}

/**
 * Checks a registry's absence against DNS. A delegated name is registered, whatever the registry reports: DNS vetoes.
 * A name without delegation may still be registered (on hold, without name servers): DNS never confirms an absence.
 * An absence that left no time for the DNS query becomes a timeout.
 */
export function applyDnsVeto(
  absence: Observation,
  { delegation, evidence: dnsEvidence, ranOutOfTime = false }: DelegationResult,
): LookupResult {
  const evidence = [...absence.evidence, dnsEvidence];
  if (delegation !== 'delegated' && !ranOutOfTime) return { ...absence, evidence, delegation };
  if (delegation === 'delegated') return { ...keepDnsVeto(absence), evidence, delegatedAt: dnsEvidence.observedAt };
  const { observedAt } = absence;
  const registry = absence.evidence.at(-1)?.server ?? dnsEvidence.server;
  return { kind: 'failure', code: 'registry_timeout', registry, retryAfterSeconds: null, observedAt, evidence };
}

/** Whether a veto of before would still hold for this result: an absence whose delegation DNS does not deny. */
export function couldBeVetoed(result: LookupResult): result is Observation {
  if (result.kind === 'failure' || result.facts.outcome !== 'absent' || result.source === 'sandbox') return false;
  return result.delegation !== 'not_delegated';
}

/** What DNS forbade stays forbidden until DNS says otherwise: an answer that is missing must not allow it. */
export function keepDnsVeto(absence: Observation): LookupFailure {
  return { ...doubtAbsence(absence, 'delegated'), dnsVetoed: absence };
}

/** Whether a result ends an earlier veto: the zone does not delegate the name, or the registry knows it. */
export function endsDnsVeto(result: LookupResult): boolean {
  return result.kind === 'observation' && (result.facts.outcome !== 'absent' || result.delegation === 'not_delegated');
}
