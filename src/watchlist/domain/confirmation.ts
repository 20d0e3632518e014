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

type WaitingFor =
  /** Another lookup must show the same change. */
  | 'second_lookup'
  /** The parent zone must have no delegation of the name. */
  | 'no_delegation'
  /** The registry must find a name that certainly exists (a canary). */
  | 'canary';

/** A change that a lookup has shown, but that is not confirmed yet. */
export interface PendingConfirmation {
  readonly status: EntryStatus;
  readonly firstSeenAt: Date;
  /** Only a lookup at or after this time confirms the change. */
  readonly notBefore: Date;
  readonly waitingFor: WaitingFor;
  readonly recheckAt: Date;
  readonly evidence: readonly Evidence[];
}

export interface ConfirmationPolicy {
  readonly spacingMs: number;
  readonly recheckAfterDoubtMs: number;
  readonly candidateTtlMs: number;
  readonly flapWindowMs: number;
  /** When the clock last jumped ahead; null if no jump is known. See `Clock.steadySince`. */
  readonly steadySince: Date | null;
  /** From this number of days before the expiry, a registered name counts as `expiring`. */
  readonly defaultWindowDays: number;
}

export interface SeenChange {
  readonly observation: Observation;
  readonly evidence: readonly Evidence[];
}

type ConfirmationResult =
  | { readonly kind: 'pending'; readonly pending: PendingConfirmation }
  | { readonly kind: 'confirmed'; readonly firstSeenAt: Date; readonly evidence: readonly Evidence[] };

/** Returns the status that needs a second lookup, or null if one lookup is enough. */
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
 * Two lookups at least `spacingMs` apart, or two protocols, confirm a change. A "not found" must also pass
 * `judgeAbsence`.
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

/** Keeps a doubtful "not found" as a pending change. Returns null if a repeated query found the name. */
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

/** Returns the pending change, or null if it has expired or lies in the future because the clock was put back. */
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

/** Restarts the waiting time after the clock jumped ahead, because less time has passed than the clock says. */
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

export interface Transition<State extends string> {
  readonly from: State;
  readonly to: State;
  readonly at: Date;
  /** How many transitions within `flapWindowMs` went back to the previous state, at most `MAX_DOUBLINGS`. */
  readonly flaps: number;
}
export type StatusTransition = Transition<EntryStatus>;

/** Flapping (changing to and fro) delays the second lookup by a factor of up to 2⁴ = 16. */
const MAX_DOUBLINGS = 4;

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

/** Returns the factor by which flapping (changing to and fro) delays the second lookup. */
export function flapBackoff(
  last: Pick<Transition<string>, 'at' | 'flaps'> | null,
  now: Date,
  flapWindowMs: number,
): number {
  return last !== null && now.getTime() - last.at.getTime() <= flapWindowMs ? 2 ** last.flaps : 1;
}

/** Returns the transition that new facts cause, or the last transition if the status stays the same. */
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
