import type { DomainName } from '../name/domain-name.js';
import type { AbsenceDoubt, Evidence, LookupFailure, LookupResult, Observation } from './lookup-result.js';

/**
 * Whether a check may not answer yet that the name is available. An answer of the registry that has no record of a name is
 * one witness. It is enough where the parent zone, asked, does not delegate the name; where DNS cannot be heard or is
 * turned off, a second one is needed. The sandbox simulates two.
 */
export function needsSecondWitness(result: LookupResult): boolean {
  if (result.kind === 'failure' || result.facts.outcome !== 'absent' || result.source === 'sandbox') return false;
  return result.delegation !== 'not_delegated' && result.witnesses < 2 && result.hasSecondWitness !== true;
}

/**
 * What both answers of the registry say together: an absence if neither has a record, at a premium if
 * one says so; else an error, never a status.
 */
export function addSecondWitness(name: DomainName, absence: Observation, second: LookupResult): LookupResult {
  const dns = absence.delegation === undefined ? [notAskedInDns(name, absence)] : [];
  const evidence = [...absence.evidence, ...dns, ...second.evidence];
  if (second.kind === 'failure') return { ...second, evidence };
  if (second.facts.outcome === 'absent') {
    const { facts } = second.facts.registrable === 'premium' ? second : absence;
    return { ...absence, facts, evidence, hasSecondWitness: true };
  }
  return { ...doubtAbsence(absence, 'second_witness'), observedAt: second.observedAt, evidence };
}

/** The registry answered, and its answer is not believed. */
export function doubtAbsence({ evidence, observedAt, source }: Observation, doubt: AbsenceDoubt): LookupFailure {
  const registry = evidence.findLast((each) => each.source === source)?.server ?? 'unknown';
  const failure = { kind: 'failure', code: 'registry_answer_unusable', registry, retryAfterSeconds: null } as const;
  return { ...failure, observedAt, evidence, doubt };
}

function notAskedInDns({ ascii }: DomainName, { observedAt }: Observation): Evidence {
  const server = `${ascii.slice(ascii.indexOf('.') + 1)}.`;
  const answer = { source: 'dns', server, outcome: 'inconclusive', rule: 'dns.off' } as const;
  return { ...answer, httpStatus: null, observedAt, excerpt: 'not asked' };
}
