import type { DomainName } from '../name/domain-name.js';
import {
  failedLookup,
  type AbsenceDoubt,
  type Delegation,
  type Evidence,
  type LookupFailure,
  type LookupResult,
  type Observation,
} from './lookup-result.js';
import { DAY } from '../../../kernel/clock.js';
import { TLD_RULES } from '../tld-rules.js';

/**
 * Whether a check may not answer yet that the name is available. An answer of the registry that has no record of a name is
 * one witness. It is enough where the parent zone, asked, does not delegate the name; where DNS cannot be heard, is
 * turned off or does not have the zone, a second one is needed. The sandbox simulates two.
 */
export function needsSecondWitness(result: LookupResult): boolean {
  if (result.kind === 'failure' || result.facts.outcome !== 'absent') return false;
  return result.delegation !== 'not_delegated' && result.witnesses < 2 && result.hasSecondWitness !== true;
}

/**
 * What both answers of the registry say together: an absence if neither has a record, at a premium if
 * one says so; else an error, never a status.
 */
export function addSecondWitness(name: DomainName, absence: Observation, second: LookupResult): LookupResult {
  const isOff = absence.delegation === undefined && !absence.isPrivateZone;
  const dns = isOff ? [notAskedInDns(name, absence, 'dns.off', 'not asked')] : [];
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
  return { ...failedLookup('registry_answer_unusable', registry, observedAt, evidence), doubt };
}

/** An absence in a private zone, whose evidence says why no name server was asked. */
export function skipDnsCheck(name: DomainName, absence: Observation): Observation {
  const reason = `not asked: the source ${absence.source} says that its zone is private`;
  return { ...absence, evidence: [...absence.evidence, notAskedInDns(name, absence, 'dns.private_zone', reason)] };
}

function notAskedInDns(
  { ascii }: DomainName,
  { observedAt }: Observation,
  rule: 'dns.off' | 'dns.private_zone',
  excerpt: string,
): Evidence {
  const server = `${ascii.slice(ascii.indexOf('.') + 1)}.`;
  return { source: 'dns', server, outcome: 'inconclusive', rule, httpStatus: null, observedAt, excerpt };
}

/** How long a veto is kept while DNS gives no conclusive answer. */
export const DNS_VETO_KEPT_MS = DAY;

export interface DelegationResult {
  readonly delegation: Delegation;
  readonly evidence: Evidence;
  /** Inconclusive only because the timeout left too little time for the query. */
  readonly ranOutOfTime?: boolean;
}

/**
 * Checks a registry's absence against DNS. A name that is in the zone is registered, whatever the registry reports: DNS
 * vetoes. A name without delegation may still be registered (on hold, without name servers): DNS never confirms an absence.
 * An absence that left no time for the DNS query becomes a timeout.
 */
export function applyDnsVeto(
  absence: Observation,
  { delegation, evidence: dnsEvidence, ranOutOfTime = false }: DelegationResult,
): LookupResult {
  const evidence = [...absence.evidence, dnsEvidence];
  if (delegation === 'delegated' || delegation === 'undelegated')
    return { ...keepDnsVeto(absence), evidence, delegatedAt: dnsEvidence.observedAt };
  if (!ranOutOfTime) return { ...absence, evidence, delegation };
  const registry = absence.evidence.at(-1)?.server ?? dnsEvidence.server;
  return failedLookup('registry_timeout', registry, absence.observedAt, evidence);
}

/**
 * Whether a veto of before would still hold for this result: an absence whose delegation DNS does not deny. What the
 * public DNS said of a name is about another one than that of a private zone.
 */
export function couldBeVetoed(result: LookupResult): result is Observation {
  if (result.kind === 'failure' || result.facts.outcome !== 'absent') return false;
  return result.delegation !== 'not_delegated' && !result.isPrivateZone;
}

/** What DNS forbade stays forbidden until DNS says otherwise: an answer that is missing must not allow it. */
export function keepDnsVeto(absence: Observation): LookupFailure {
  return { ...doubtAbsence(absence, 'delegated'), dnsVetoed: absence };
}

/** Whether a result ends an earlier veto: the zone does not delegate the name or is private, or the registry knows it. */
export function endsDnsVeto(result: LookupResult): boolean {
  return result.kind === 'observation' && !couldBeVetoed(result);
}

/**
 * Second levels that registries delegate to ministries, universities and armies, which run registries of their own. A
 * server that is asked about a zone of another registry reports "not found" for every name.
 */
const DELEGATED_SECOND_LEVELS = new Set(
  `ac edu ed sch school k12 univ gov gob gouv gub govt gv go mil mod police nhs parliament health cri int nic`.split(
    ' ',
  ),
);

/** Whether the registry of the TLD holds the names below the public suffix of this name. */
export function isServedByRegistry({ ascii, tld, registry }: DomainName): boolean {
  if (registry !== tld) return true;
  const labels = ascii.split('.').slice(1, -1);
  const secondLevel = labels.at(-1);
  if (secondLevel === undefined || tld.length !== 2) return true;
  const rule = TLD_RULES.get(tld);
  if (rule?.foreignSecondLevels?.test(secondLevel)) return false;
  return rule?.servesDelegatedSecondLevels === true || !labels.some((label) => DELEGATED_SECOND_LEVELS.has(label));
}

/**
 * An absence counts only where the registry would hold the name: one below the zone of another registry may well exist.
 * A record or a reservation counts everywhere.
 */
export function rejectOutOfZoneAbsence(name: DomainName, result: LookupResult): LookupResult {
  return result.kind === 'observation' && result.facts.outcome === 'absent' && !isServedByRegistry(name)
    ? toOutOfZoneFailure(result)
    : result;
}

function toOutOfZoneFailure({ evidence, observedAt }: Observation): LookupFailure {
  const inconclusive = evidence.map((each) => ({
    ...each,
    outcome: 'inconclusive' as const,
    rule: `${each.rule}.other_zone`,
  }));
  const registry = evidence[0]?.server ?? 'unknown';
  return failedLookup('registry_answer_unusable', registry, observedAt, inconclusive);
}
