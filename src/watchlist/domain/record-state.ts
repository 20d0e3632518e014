import type { RecordKind } from '../../domains/language.js';
import type { Transition } from './flapping.js';

/** A different value that one lookup is not enough for. */
export interface RecordCandidate {
  readonly fingerprint: string;
  readonly firstSeenAt: Date;
  /** A lookup confirms the change from this time on. */
  readonly notBefore: Date;
  readonly waitingFor: 'second_lookup' | 'parent_zone';
  /** null: with the next routine check. */
  readonly recheckAt: Date | null;
}

/** What is known about one kind of value, without the value. */
export interface RecordKindState {
  readonly fingerprint: string;
  /** Whether a second lookup has shown the value. Before that another one replaces it without an event. */
  readonly isConfirmed: boolean;
  /** The last lookup that showed the value, if later ones did not; null: the last one did. */
  readonly lastSeenAt: Date | null;
  readonly candidate: RecordCandidate | null;
  readonly lastTransition: Transition<string> | null;
}

/** What is known about the registration record of a name. No status depends on it. */
export type RecordState = { readonly [Kind in RecordKind]?: RecordKindState };

/** The next check that a candidate needs; null: none before the routine one. */
export function recordRecheckAt(state: RecordState | null): Date | null {
  let earliest: Date | null = null;
  for (const known of Object.values(state ?? {})) {
    const at = known.candidate?.recheckAt ?? null;
    if (at && (!earliest || at < earliest)) earliest = at;
  }
  return earliest;
}
