import {
  type AbsenceDoubt,
  type Evidence,
  failedLookup,
  type LookupFailure,
  type Observation,
  type Testimony,
} from './lookup-result.js';

/**
 * Decides whether to believe a registry that has no record of a name (an absence). docs/decisions/0002 has the reasons.
 * `judgeAbsence` gives the verdict, or says which witness to ask next:
 * - zone: does DNS have the name?
 * - canary: does the registry still have a record of another name, which must exist?
 * - second answer: does the registry say the same again?
 *
 * An absence that is doubted becomes a failure, and a failure never changes a status.
 */

/** The purpose of a lookup. A check needs its answer now. A watch makes a further lookup before it changes an entry. */
export type Purpose = 'check' | 'watch';

/** A query for evidence about an absence (no record of the name). */
export type Witness = 'zone' | 'canary' | 'second_answer';

export type AbsenceVerdict =
  | { readonly kind: 'believed' }
  | { readonly kind: 'doubted'; readonly doubt: AbsenceDoubt }
  /**
   * `missing` lists what is still needed for a verdict. `time` means a second lookup, later: for a watched name, one
   * "no record" is not enough.
   */
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
  // `private` is left out: while the public DNS lacks the zone, an earlier answer of a public zone does not count.
  if (zoneHadIt && (zone === 'silent' || zone === 'off')) return 'in_zone';
  if (secondAnswer === 'record') return 'second_answer';
  return canary === 'missing' ? 'canary_missing' : null;
}

/**
 * Whether the canary (a name that must exist) has said enough. An answer from after the absence is enough. An answer
 * from before (`found_recently`) is enough if the name was not registered until now. For a check, DNS must also deny
 * the name, or not have answered yet.
 */
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

/**
 * Whether to forget that the parent zone had the name. This is true if the registry has a record again, if the zone
 * denies the name, or if the public DNS lacks the zone (`private`).
 */
export function clearsZone(result: Observation): boolean {
  const zone = result.testimony?.zone;
  return result.facts.outcome !== 'absent' || zone === 'denies' || zone === 'private';
}
