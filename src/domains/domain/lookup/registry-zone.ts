import type { DomainName } from '../name/domain-name.js';
import type { LookupResult, Observation } from './lookup-result.js';

const toSet = (words: string) => new Set(words.split(/\s+/));

/**
 * Kinds of second levels that registries hand on to ministries, universities and armies, who answer for them elsewhere.
 * Whoever is asked for a zone that is not its own says "not found" to everything.
 */
const DELEGATED_SECOND_LEVELS = toSet(
  `ac edu ed sch school k12 univ gov gob gouv gub govt gv go mil mod police nhs parliament health cri int nic`,
);
/**
 * Country codes whose registry answers for these kinds too. Sources: records below them in answers of its own server
 * (fixtures of several WHOIS libraries: edu.au, gov.au, edu.br, gob.ar, go.id, ac.jp, go.jp, gov.om); InternetNZ, whose
 * register holds every second level of .nz.
 */
const TLDS_SERVING_ALL_SECOND_LEVELS = toSet('ar au br id jp nz om');
/**
 * Second levels whose names their TLD's registry does not hold. Sources: RFC 1480 §2 (localities of .us, delegated one
 * by one); CIRA, which says "not found" to names below gc.ca that exist; servers of their own for in.ua and for the
 * professions of .fr (whois.in.ua, whois.smallregistry.net); NIC Uruguay's own answers, which send com.uy elsewhere.
 */
const FOREIGN_SECOND_LEVELS: ReadonlyMap<string, RegExp> = new Map([
  ['us', /./],
  ['ca', /^gc$/],
  ['ua', /^in$/],
  ['uy', /^com$/],
  ['fr', /^(?!(?:asso|com|gouv|nom|prd|tm)$)/],
]);

/** Whether the registry of the name's TLD answers for the public suffix that the name stands below. */
export function isServedByRegistry({ ascii, tld }: DomainName): boolean {
  const labels = ascii.split('.').slice(1, -1);
  const secondLevel = labels.at(-1);
  if (secondLevel === undefined || tld.length !== 2) return true;
  if (FOREIGN_SECOND_LEVELS.get(tld)?.test(secondLevel)) return false;
  return TLDS_SERVING_ALL_SECOND_LEVELS.has(tld) || !labels.some((label) => DELEGATED_SECOND_LEVELS.has(label));
}

/**
 * An absence counts only where the registry would know the name. What it holds, or keeps back, it does know; and a name
 * below a zone of others that it has no record of may well exist there.
 */
export function rejectOutOfZoneAbsence(name: DomainName, result: LookupResult): LookupResult {
  return result.kind === 'observation' && result.facts.outcome === 'absent' && !isServedByRegistry(name)
    ? toOutOfZoneFailure(result)
    : result;
}

function toOutOfZoneFailure({ evidence, observedAt }: Observation): LookupResult {
  const inconclusive = evidence.map((each) => ({
    ...each,
    outcome: 'inconclusive' as const,
    rule: `${each.rule}.other_zone`,
  }));
  const registry = evidence[0]?.server ?? 'unknown';
  return {
    kind: 'failure',
    code: 'registry_answer_unusable',
    registry,
    retryAfterSeconds: null,
    observedAt,
    evidence: inconclusive,
  };
}
