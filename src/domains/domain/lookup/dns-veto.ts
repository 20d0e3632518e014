import type { Delegation, Evidence, LookupResult, Observation } from './lookup-result.js';

/** What DNS has to say about a name, with what it rests on. */
export interface DelegationResult {
  readonly delegation: Delegation;
  readonly evidence: Evidence;
  /** It is inconclusive because there was no time to ask: nothing is known about what DNS would have said. */
  readonly ranOutOfTime?: boolean;
}

/**
 * A registry's absence in the light of DNS, which may veto and never grants: a name that is delegated is registered,
 * whatever the registry's public service says; one that is not delegated may be registered all the same (on hold,
 * without name servers). An absence that came so late that DNS could not be asked came too late.
 */
export function applyDnsVeto(
  absence: Observation,
  { delegation, evidence: dnsEvidence, ranOutOfTime: lackedTime = false }: DelegationResult,
): LookupResult {
  const evidence = [...absence.evidence, dnsEvidence];
  if (delegation !== 'delegated' && !lackedTime) return { ...absence, evidence, delegation };
  const { observedAt } = absence;
  const registry = absence.evidence[0]?.server ?? dnsEvidence.server;
  const failure = { kind: 'failure', registry, retryAfterSeconds: null, observedAt, evidence } as const;
  if (delegation !== 'delegated') return { ...failure, code: 'registry_timeout' };
  return { ...failure, code: 'registry_answer_unusable', dnsVetoed: absence };
}
