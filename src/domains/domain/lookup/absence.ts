import type { AbsenceDoubt, Evidence, LookupFailure, Observation } from './lookup-result.js';
import { failedLookup } from './lookup-result.js';

/**
 * A registry has no record of a name. May that be believed? A lookup gathers the testimony below, and `judgeAbsence`
 * judges it; nothing else in the service asks this question. Record 2 says why the rule is as it is.
 */
export interface Testimony {
  /** The zone above the name. `has_it`: the name is there, delegated or not. null: not asked yet. */
  readonly zone: 'denies' | 'has_it' | 'silent' | 'off' | 'private' | null;
  /** The zone had the name within the last 24 hours, and has not denied it since. */
  readonly zoneHadIt: boolean;
  /**
   * A name that the same source must have a record of. `found_since`: found after the absence, or since the name was first
   * seen absent. `found_recently`: within ten minutes before. `unproven`: no name is known to exist. null: none of them.
   */
  readonly canary: 'found_since' | 'found_recently' | 'missing' | 'unproven' | null;
  /** The registry, asked a second time. null: not asked. */
  readonly secondAnswer: 'no_record' | 'record' | null;
  /** An earlier answer of the registry had a record, or the drop of a watched name waits to be confirmed. */
  readonly isChange: boolean;
  /** A watch saw the same before, long enough ago, and no doubt since. */
  readonly hasLasted: boolean;
}

/** Who asks: a check answers now; a watch looks again before it moves an entry. */
export type Purpose = 'check' | 'watch';

/** Who can still be asked. Time passes by itself: a watch looks again. */
export type Witness = 'zone' | 'canary' | 'second_answer';

export type AbsenceVerdict =
  | { readonly kind: 'believed' }
  | { readonly kind: 'doubted'; readonly doubt: AbsenceDoubt }
  | { readonly kind: 'open'; readonly missing: readonly (Witness | 'time')[] };

/** The rule. One witness that forbids is enough; to be believed takes all that the purpose demands. */
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
  // The public DNS speaks of another name than a private zone does.
  if (zoneHadIt && (zone === 'silent' || zone === 'off')) return 'in_zone';
  if (secondAnswer === 'record') return 'second_answer';
  return canary === 'missing' ? 'canary_missing' : null;
}

/**
 * What was found before the absence may have broken since. That is good enough beside a zone that denies the name, and for
 * the first look of a watch; not against an earlier record.
 */
function isCanaryEnough({ canary, zone, isChange }: Testimony, purpose: Purpose): boolean {
  if (canary !== 'found_recently') return canary !== null;
  return !isChange && (purpose === 'watch' || zone === 'denies' || zone === null);
}

function isZoneUnheard({ zone }: Testimony): boolean {
  return zone === 'silent' || zone === 'off' || zone === 'private';
}

/** The sandbox answers for all witnesses. */
export const SIMULATED_TESTIMONY: Testimony = {
  zone: 'denies',
  zoneHadIt: false,
  canary: 'found_since',
  secondAnswer: null,
  isChange: false,
  hasLasted: false,
};

/** The registry answered, and its answer is not believed: an error, never a status. */
export function doubtAbsence(absence: Observation, doubt: AbsenceDoubt, evidence: readonly Evidence[]): LookupFailure {
  const registry = evidence.findLast(({ source }) => source === absence.source)?.server ?? 'unknown';
  const failure = failedLookup('registry_answer_unusable', registry, absence.observedAt, evidence);
  return { ...failure, doubt, doubted: absence };
}

/** Whether a result ends what the zone said earlier: it denies the name or is private, or the registry has a record. */
export function clearsZone(result: Observation): boolean {
  const zone = result.testimony?.zone;
  return result.facts.outcome !== 'absent' || zone === 'denies' || zone === 'private';
}
