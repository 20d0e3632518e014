import type { DomainName } from '../name/domain-name.js';
import { TLD_RULES } from '../tld-rules.js';
import { failedLookup, type LookupFailure, type LookupResult, type Observation } from './lookup-result.js';

/**
 * Second levels that often have their own registry. The TLD's server then says "not found" for every name below such a
 * level.
 */
const DELEGATED_SECOND_LEVELS = new Set(
  `ac edu ed sch school k12 univ gov gob gouv gub govt gv go mil mod police nhs parliament health cri int nic`.split(
    ' ',
  ),
);

/** Whether the name's registry would have a record if the name exists. The registry of .uk has none below gov.uk. */
export function isServedByRegistry({ ascii, tld, registry }: DomainName): boolean {
  if (registry !== tld) return true;
  const labels = ascii.split('.').slice(1, -1);
  const secondLevel = labels.at(-1);
  if (secondLevel === undefined || tld.length !== 2) return true;
  const rule = TLD_RULES.get(tld);
  if (rule?.foreignSecondLevels?.test(secondLevel)) return false;
  return rule?.servesDelegatedSecondLevels === true || !labels.some((label) => DELEGATED_SECOND_LEVELS.has(label));
}

/** Turns "no record" into a failure if another registry holds the zone, since the name may exist there. */
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
