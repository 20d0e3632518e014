import { doubtAbsence } from './availability.js';
import type { Delegation, Evidence, LookupResult, Observation } from './lookup-result.js';

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
  if (delegation === 'delegated') return { ...doubtAbsence(absence, 'delegated'), evidence, dnsVetoed: absence };
  const { observedAt } = absence;
  const registry = absence.evidence.at(-1)?.server ?? dnsEvidence.server;
  return { kind: 'failure', code: 'registry_timeout', registry, retryAfterSeconds: null, observedAt, evidence };
}
