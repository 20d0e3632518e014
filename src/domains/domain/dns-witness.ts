import type { DomainName } from './domain-name.js';
import type { Delegation, Evidence, Look, Proof } from './look.js';

/** What DNS has to say about a name, with what it rests on. */
export interface Testimony {
  readonly delegation: Delegation;
  readonly evidence: Evidence;
  /** It is inconclusive because there was no time to ask: nothing is known about what DNS would have said. */
  readonly lackedTime?: boolean;
}

/** Asks the parent zone whether it delegates a name. Expected failures are `inconclusive`; it throws on bugs only. */
export abstract class DnsWitness {
  /**
   * @param deadline milliseconds
   * @returns null when this installation has no such witness
   */
  abstract hear(name: DomainName, deadline: number): Promise<Testimony | null>;
}

/**
 * A registry's absence in the light of DNS, which may veto and never grants: a name that is delegated is registered,
 * whatever the registry's public service says; one that is not delegated may be registered all the same (on hold,
 * without name servers). An absence that came so late that DNS could not be asked came too late.
 */
export function weigh(absence: Proof, { delegation, evidence: said, lackedTime = false }: Testimony): Look {
  const evidence = [...absence.evidence, said];
  if (delegation !== 'delegated' && !lackedTime) return { ...absence, evidence, delegation };
  const { observedAt } = absence;
  const registry = absence.evidence[0]?.server ?? said.server;
  const failure = { kind: 'failure', registry, retryAfterSeconds: null, observedAt, evidence } as const;
  if (delegation !== 'delegated') return { ...failure, code: 'registry_timeout' };
  return { ...failure, code: 'registry_answer_unusable', vetoed: absence };
}
