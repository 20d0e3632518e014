import {
  type AbsenceDoubt,
  type Evidence,
  failedLookup,
  type LookupFailure,
  type Observation,
} from './lookup-result.js';
import type { Testimony } from './testimony.js';

/*
 * Decides whether to believe a registry that has no record of a name (an absence). Nothing else in the service decides
 * this; record 2 gives the reasons. From top to bottom:
 *
 * - registry-zone.ts: an absence counts only where the registry would hold the name.
 * - testimony.ts: a lookup hears witnesses: the zone, a canary, the registry once more, and time.
 * - canary.ts: canaries are names that a registry must have a record of.
 * - This file: the verdict.
 * - lookup-result.ts: an absence in doubt is a failure, which never becomes a status.
 *
 * `DomainLookup` in checks/ collects the testimony: it asks `judgeAbsence` which witnesses are missing, asks these all
 * at once, and repeats that. For a watch, confirmation.ts of the watchlist adds the time. The parsers and
 * answer-text/denial.ts know the words that mean "no record" (record 11).
 */

/** The purpose of a lookup. A check needs its answer now; a watch looks again before it moves an entry. */
export type Purpose = 'check' | 'watch';

/** A witness that can still be asked. Nobody has to ask for `time`: a watch looks again. */
export type Witness = 'zone' | 'canary' | 'second_answer';

export type AbsenceVerdict =
  | { readonly kind: 'believed' }
  | { readonly kind: 'doubted'; readonly doubt: AbsenceDoubt }
  | { readonly kind: 'open'; readonly missing: readonly (Witness | 'time')[] };

/** Decides whether to believe an absence. One witness can forbid it; the purpose says how many must allow it. */
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
  // Not for a private zone: there, the public zone's answer was about another name.
  if (zoneHadIt && (zone === 'silent' || zone === 'off')) return 'in_zone';
  if (secondAnswer === 'record') return 'second_answer';
  return canary === 'missing' ? 'canary_missing' : null;
}

/**
 * Decides whether the canary (a name that must exist) proves that the registry works. If it was found before the
 * absence, the registry may have broken since. That is enough beside a zone that denies the name, and for the first
 * lookup of a watch, but not if there was a record before.
 */
function isCanaryEnough({ canary, zone, isChange }: Testimony, purpose: Purpose): boolean {
  if (canary !== 'found_recently') return canary !== null;
  return !isChange && (purpose === 'watch' || zone === 'denies' || zone === null);
}

function isZoneUnheard({ zone }: Testimony): boolean {
  return zone === 'silent' || zone === 'off' || zone === 'private';
}

/** Makes a failure of an absence that is not believed: an error, never a status. */
export function doubtAbsence(absence: Observation, doubt: AbsenceDoubt, evidence: readonly Evidence[]): LookupFailure {
  const registry = evidence.findLast(({ source }) => source === absence.source)?.server ?? 'unknown';
  const failure = failedLookup('registry_answer_unusable', registry, absence.observedAt, evidence);
  return { ...failure, doubt, doubted: absence };
}

/** Whether a result ends an earlier answer of the zone: a record, a denial by the zone, or a private zone. */
export function clearsZone(result: Observation): boolean {
  const zone = result.testimony?.zone;
  return result.facts.outcome !== 'absent' || zone === 'denies' || zone === 'private';
}
