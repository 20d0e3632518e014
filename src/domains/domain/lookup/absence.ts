import {
  type AbsenceDoubt,
  type Evidence,
  failedLookup,
  type LookupFailure,
  type Observation,
  type Testimony,
} from './lookup-result.js';

/*
 * Witnesses have to confirm that a registry has no record of a name (an absence). docs/decisions/0002 has the reasons.
 * - zone: does DNS have the name?
 * - canary: does the registry still have a record of another name, which must exist?
 * - second answer: does the registry say the same again?
 */

/** A check needs its answer now. A watch makes a further lookup before it changes an entry. */
export type Purpose = 'check' | 'watch';

/** A query for evidence about an absence (no record of the name). */
export type Witness = 'zone' | 'canary' | 'second_answer';

export type AbsenceVerdict =
  | { readonly kind: 'believed' }
  | { readonly kind: 'doubted'; readonly doubt: AbsenceDoubt }
  /** `time` in `missing` means a later second lookup: for a watch, one "no record" is not enough. */
  | { readonly kind: 'open'; readonly missing: readonly (Witness | 'time')[] };

/** Decides whether to believe an absence (no record of the name). One contradicting witness causes doubt. */
export function judgeAbsence(testimony: Testimony, purpose: Purpose): AbsenceVerdict {
  const doubt = findDoubt(testimony);
  if (doubt) return { kind: 'doubted', doubt };
  const missing: Witness[] = [];
  if (testimony.zone === null) missing.push('zone');
  if (!isCanaryEnough(testimony, purpose)) missing.push('canary');
  if (purpose === 'check' && isZoneUnheard(testimony) && testimony.secondAnswer === null) missing.push('second_answer');
  if (missing.length > 0) return { kind: 'open', missing };
  if (purpose === 'watch' && !testimony.hasLasted) return { kind: 'open', missing: ['time'] };
  return { kind: 'believed' };
}

function findDoubt({ zone, zoneHadIt, canary, secondAnswer }: Testimony): AbsenceDoubt | null {
  if (zone === 'has_it') return 'in_zone';
  // For a zone that the public DNS lacks (`private`), an earlier answer of a public zone does not count.
  if (zoneHadIt && (zone === 'silent' || zone === 'off')) return 'in_zone';
  if (secondAnswer === 'record') return 'second_answer';
  return canary === 'missing' ? 'canary_missing' : null;
}

/** Whether the canary (a name that must exist) proves enough. A canary found only before the absence proves less. */
function isCanaryEnough({ canary, zone, isChange }: Testimony, purpose: Purpose): boolean {
  if (canary !== 'found_recently') return canary !== null;
  return !isChange && (purpose === 'watch' || zone === 'denies' || zone === null);
}

function isZoneUnheard({ zone }: Testimony): boolean {
  return zone === 'silent' || zone === 'off' || zone === 'private';
}

/** Turns an absence that is not believed into a failure, which never becomes a status. */
export function doubtAbsence(absence: Observation, doubt: AbsenceDoubt, evidence: readonly Evidence[]): LookupFailure {
  const registry = evidence.findLast(({ source }) => source === absence.source)?.server ?? 'unknown';
  const failure = failedLookup('registry_answer_unusable', registry, absence.observedAt, evidence);
  return { ...failure, doubt, doubted: absence };
}

/** Whether to forget that the parent zone had the name. */
export function clearsZone(result: Observation): boolean {
  const zone = result.testimony?.zone;
  return result.facts.outcome !== 'absent' || zone === 'denies' || zone === 'private';
}
