import {
  type AbsenceDoubt,
  type EntryStatus,
  type Evidence,
  deriveLifecycle,
  judgeAbsence,
  type Observation,
  type RegistrationFacts,
} from '../../domains/language.js';
import { after, isFromFuture } from '../../kernel/clock.js';

/** A change still waits for one of these. */
type WaitingFor =
  /** The same again, later. */
  | 'second_lookup'
  /** The parent zone to deny the name. */
  | 'no_delegation'
  /** A canary of the registry. */
  | 'canary';

/** A change that one lookup is not enough for. */
export interface PendingConfirmation {
  readonly status: EntryStatus;
  readonly firstSeenAt: Date;
  /** A lookup confirms the change from this time on. */
  readonly notBefore: Date;
  readonly waitingFor: WaitingFor;
  readonly recheckAt: Date;
  readonly evidence: readonly Evidence[];
}

/** Durations in milliseconds, unless the name says otherwise. */
export interface ConfirmationPolicy {
  readonly spacingMs: number;
  readonly recheckAfterDoubtMs: number;
  readonly candidateTtlMs: number;
  /** A name that kept its status this long no longer flaps. */
  readonly flapWindowMs: number;
  /** Since when time passes evenly, see `Clock.steadySince`. */
  readonly steadySince: Date | null;
  /** An expiry within this window does not count for a name that was only just registered. */
  readonly defaultWindowDays: number;
}

export interface SeenChange {
  readonly observation: Observation;
  readonly evidence: readonly Evidence[];
}

type ConfirmationResult =
  | { readonly kind: 'pending'; readonly pending: PendingConfirmation }
  | { readonly kind: 'confirmed'; readonly firstSeenAt: Date; readonly evidence: readonly Evidence[] };

/** The status that needs a second lookup; null when one lookup is enough. */
export function statusToConfirm(
  known: RegistrationFacts | null,
  observed: RegistrationFacts,
  { defaultWindowDays }: ConfirmationPolicy,
  now: Date,
): EntryStatus | null {
  const isAbsent = known?.outcome === 'absent';
  if (observed.outcome === 'absent') return isAbsent ? null : 'available';
  const { status } = deriveLifecycle(observed, defaultWindowDays, now);
  return isAbsent && status !== 'registered' ? status : null;
}

/**
 * Decides whether a change is confirmed: the same twice, at least one spacing apart. For a drop, `judgeAbsence` decides, and
 * this adds the time that has passed.
 */
export function confirm(
  seen: SeenChange,
  status: EntryStatus,
  earlier: PendingConfirmation | null,
  policy: ConfirmationPolicy,
): ConfirmationResult {
  const { observedAt, witnesses } = seen.observation;
  const counted = earlier?.waitingFor === 'second_lookup' ? spacedAnew(earlier, policy) : null;
  const first = counted ?? newCandidate(seen, status, policy);
  const hasLasted = witnesses >= 2 || (counted !== null && observedAt >= counted.notBefore);
  if (hasLasted && isBelieved(seen.observation, witnesses < 2)) return confirmedBy(seen, counted);
  return { kind: 'pending', pending: { ...first, waitingFor: 'second_lookup', recheckAt: first.notBefore } };
}

function isBelieved({ facts, testimony }: Observation, isChange: boolean): boolean {
  if (facts.outcome !== 'absent') return true;
  return (
    testimony !== undefined && judgeAbsence({ ...testimony, isChange, hasLasted: true }, 'watch').kind === 'believed'
  );
}

/** A drop that is not believed: once it is, the time begins anew. Null where the registry has a record after all. */
export function doubt(
  { observation, evidence }: SeenChange,
  reason: AbsenceDoubt,
  earlier: PendingConfirmation | null,
  { recheckAfterDoubtMs, spacingMs }: ConfirmationPolicy,
): PendingConfirmation | null {
  if (reason === 'second_answer') return null;
  const recheckAt = after(observation.observedAt, recheckAfterDoubtMs);
  const firstSeenAt = earlier?.firstSeenAt ?? observation.observedAt;
  const waitingFor = reason === 'in_zone' ? 'no_delegation' : 'canary';
  return { status: 'available', firstSeenAt, notBefore: after(recheckAt, spacingMs), waitingFor, recheckAt, evidence };
}

/** The earlier sighting, unless it has expired, or is from a clock that was put back. */
export function stillValid(
  pending: PendingConfirmation | null,
  now: Date,
  { candidateTtlMs }: ConfirmationPolicy,
): PendingConfirmation | null {
  if (!pending || isFromFuture(pending.firstSeenAt, now)) return null;
  return now.getTime() - pending.firstSeenAt.getTime() > candidateTtlMs ? null : pending;
}

function newCandidate({ observation, evidence }: SeenChange, status: EntryStatus, { spacingMs }: ConfirmationPolicy) {
  const firstSeenAt = observation.observedAt;
  return { status, firstSeenAt, notBefore: after(firstSeenAt, spacingMs), evidence };
}

/** A clock that was put forward shows more time between two lookups than has passed. */
function spacedAnew(earlier: PendingConfirmation, policy: ConfirmationPolicy): PendingConfirmation {
  const notBefore = after(steady(earlier.firstSeenAt, policy), policy.spacingMs);
  return earlier.firstSeenAt < (policy.steadySince ?? earlier.firstSeenAt) && notBefore > earlier.notBefore
    ? { ...earlier, notBefore }
    : earlier;
}

function steady(since: Date, { steadySince }: ConfirmationPolicy): Date {
  return steadySince && since < steadySince ? steadySince : since;
}

function confirmedBy({ observation, evidence }: SeenChange, earlier: PendingConfirmation | null): ConfirmationResult {
  const firstSeenAt = earlier?.firstSeenAt ?? observation.observedAt;
  return { kind: 'confirmed', firstSeenAt, evidence: [...(earlier?.evidence ?? []), ...evidence] };
}

/** The last confirmed transition from one state to another. */
export interface Transition<State extends string> {
  readonly from: State;
  readonly to: State;
  readonly at: Date;
  /** How many transitions in a row were reverted within the flap window. */
  readonly flaps: number;
}
export type StatusTransition = Transition<EntryStatus>;

/** 2⁴: the second lookup of a flapping name is delayed at most 16 times. */
const MAX_DOUBLINGS = 4;

/** @param flapWindowMs a name without a transition for this long no longer flaps */
export function nextTransition<State extends string>(
  last: Transition<State> | null,
  { from, to, at }: Omit<Transition<State>, 'flaps'>,
  flapWindowMs: number,
): Transition<State> {
  const isWithinWindow = last !== null && at.getTime() - last.at.getTime() <= flapWindowMs;
  const isReverted = isWithinWindow && last.from === to && last.to === from;
  const flaps = isWithinWindow ? last.flaps : 0;
  return { from, to, at, flaps: isReverted ? Math.min(flaps + 1, MAX_DOUBLINGS) : flaps };
}

/** Factor by which the second lookup is delayed. */
export function flapBackoff(
  last: Pick<Transition<string>, 'at' | 'flaps'> | null,
  now: Date,
  flapWindowMs: number,
): number {
  return last !== null && now.getTime() - last.at.getTime() <= flapWindowMs ? 2 ** last.flaps : 1;
}

/** @returns the last transition after a change of facts; the earlier one, when the status stays the same */
export function transitionTo(
  { facts, observedAt: at }: Pick<Observation, 'facts' | 'observedAt'>,
  former: RegistrationFacts,
  last: StatusTransition | null,
  { defaultWindowDays, flapWindowMs }: Pick<ConfirmationPolicy, 'defaultWindowDays' | 'flapWindowMs'>,
): StatusTransition | null {
  const from = deriveLifecycle(former, defaultWindowDays, at).status;
  const to = deriveLifecycle(facts, defaultWindowDays, at).status;
  return from === to ? last : nextTransition(last, { from, to, at }, flapWindowMs);
}
