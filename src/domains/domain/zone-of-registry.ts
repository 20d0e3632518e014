import type { DomainName } from './domain-name.js';
import type { Look, Proof } from './look.js';

const set = (words: string) => new Set(words.split(/\s+/));

/**
 * Kinds of second levels that registries hand on to ministries, universities and armies, who answer for them elsewhere.
 * Whoever is asked for a zone that is not its own says "not found" to everything.
 */
const HANDED_ON = set(
  `ac edu ed sch school k12 univ gov gob gouv gub govt gv go mil mod police nhs parliament health cri int nic`,
);
/**
 * Country codes whose registry answers for these kinds too. Sources: records below them in answers of its own server
 * (fixtures of several WHOIS libraries: edu.au, gov.au, edu.br, gob.ar, go.id, ac.jp, go.jp, gov.om); InternetNZ, whose
 * register holds every second level of .nz.
 */
const WITH_ALL_KINDS = set('ar au br id jp nz om');
/**
 * Second levels whose names their TLD's registry does not hold. Sources: RFC 1480 §2 (localities of .us, delegated one
 * by one); CIRA, which says "not found" to names below gc.ca that exist; servers of their own for in.ua and for the
 * professions of .fr (whois.in.ua, whois.smallregistry.net); NIC Uruguay's own answers, which send com.uy elsewhere.
 */
const OF_OTHERS: ReadonlyMap<string, RegExp> = new Map([
  ['us', /./],
  ['ca', /^gc$/],
  ['ua', /^in$/],
  ['uy', /^com$/],
  ['fr', /^(?!(?:asso|com|gouv|nom|prd|tm)$)/],
]);

/** Whether the registry of the name's TLD answers for the public suffix that the name stands below. */
export function isOfRegistry({ ascii, tld }: DomainName): boolean {
  const labels = ascii.split('.').slice(1, -1);
  const kind = labels.at(-1);
  if (kind === undefined || tld.length !== 2) return true;
  if (OF_OTHERS.get(tld)?.test(kind)) return false;
  return WITH_ALL_KINDS.has(tld) || !labels.some((label) => HANDED_ON.has(label));
}

/**
 * An absence counts only where the registry would know the name. What it holds, or keeps back, it does know; and a name
 * below a zone of others that it has no record of may well exist there.
 */
export function withinZoneOfRegistry(name: DomainName, look: Look): Look {
  return look.kind === 'proof' && look.facts.outcome === 'absent' && !isOfRegistry(name) ? ofNobody(look) : look;
}

function ofNobody({ evidence, observedAt }: Proof): Look {
  const heard = evidence.map((each) => ({
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
    evidence: heard,
  };
}
