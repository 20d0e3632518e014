import {
  type EntryStatus,
  type Evidence,
  deriveLifecycle,
  type Observation,
  type RegistrationFacts,
} from '../../domains/language.js';
import { after, isFromFuture } from '../../kernel/clock.js';

/** What a change is still waiting for. */
type WaitingFor =
  /** A second lookup of the registry. */
  | 'second_lookup'
  /** The parent zone to stop delegating the name. */
  | 'no_delegation'
  /** A conclusive answer of the parent zone. */
  | 'dns_answer'
  /** The canaries of the registry: too many of its names dropped at once. */
  | 'canary';

/** A change that one lookup is not enough for. */
export interface PendingConfirmation {
  readonly status: EntryStatus;
  readonly firstSeenAt: Date;
  /** A lookup confirms the change from this time on. */
  readonly notBefore: Date;
  readonly waitingFor: WaitingFor;
  readonly recheckAt: Date;
  /** Since when only a DNS answer is missing; null otherwise. */
  readonly dnsInconclusiveSince: Date | null;
  readonly evidence: readonly Evidence[];
}

/** Durations in milliseconds, unless the name says otherwise. */
export interface ConfirmationPolicy {
  readonly spacingMs: number;
  readonly recheckAfterVetoMs: number;
  readonly recheckAfterInconclusiveMs: number;
  readonly dnsGraceMs: number;
  readonly candidateTtlMs: number;
  /** A name that kept its status this long no longer flaps. */
  readonly flapWindowMs: number;
  /** Since when time passes evenly, see `Clock.steadySince`. */
  readonly steadySince: Date | null;
  /** An expiry within this window does not count for a name that was only just registered. */
  readonly defaultWindowDays: number;
}

interface CandidateChange {
  readonly observation: Observation;
  readonly status: EntryStatus;
  readonly isVetoed: boolean;
  readonly evidence: readonly Evidence[];
}

export type SeenChange = Omit<CandidateChange, 'status'>;

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
 * Decides whether a change is confirmed. It takes two witnesses (two protocols in one lookup, or two lookups at least
 * one spacing apart) and no delegation in DNS. A delegation blocks the change while it exists; an inconclusive DNS
 * delays it for a limited time, so that a broken resolver does not hide a drop.
 */
export function confirm(
  candidate: CandidateChange,
  earlier: PendingConfirmation | null,
  policy: ConfirmationPolicy,
): ConfirmationResult {
  const { observation } = candidate;
  const { observedAt } = observation;
  const first = earlier ? spacedAnew(earlier, policy) : newCandidate(candidate, policy);
  const hasTwoWitnesses = observation.witnesses >= 2 || (earlier !== null && observedAt >= first.notBefore);
  if (isVetoed(candidate, earlier))
    return pendingUntil(first, 'no_delegation', after(observedAt, policy.recheckAfterVetoMs));
  if (!hasTwoWitnesses) return pendingUntil(first, 'second_lookup', first.notBefore);
  if (observation.delegation !== 'inconclusive') return confirmedBy(candidate, earlier);
  const inconclusiveSince = earliest(first.dnsInconclusiveSince ?? observedAt, observedAt);
  const graceEndsAt = after(steady(inconclusiveSince, policy), policy.dnsGraceMs);
  if (observedAt >= graceEndsAt) return confirmedBy(candidate, earlier);
  return pendingUntil(
    first,
    'dns_answer',
    earliest(after(observedAt, policy.recheckAfterInconclusiveMs), graceEndsAt),
    inconclusiveSince,
  );
}

/** A confirmed drop that waits until the canaries of its registry pass. */
export function holdForCanary(status: EntryStatus, firstSeenAt: Date, evidence: readonly Evidence[], recheckAt: Date) {
  const pending = { status, firstSeenAt, notBefore: firstSeenAt, dnsInconclusiveSince: null, evidence, recheckAt };
  return { ...pending, waitingFor: 'canary' } as const satisfies PendingConfirmation;
}

/**
 * The earlier sighting, unless it has expired, or is from a clock that was put back. A DNS veto keeps it: if it expired,
 * an inconclusive DNS would allow what a conclusive one forbade.
 */
export function stillValid(
  pending: PendingConfirmation | null,
  now: Date,
  { candidateTtlMs, spacingMs }: ConfirmationPolicy,
): PendingConfirmation | null {
  if (!pending) return null;
  const isVeto = pending.waitingFor === 'no_delegation';
  if (isFromFuture(pending.firstSeenAt, now))
    return isVeto
      ? { ...pending, firstSeenAt: now, notBefore: after(now, spacingMs), dnsInconclusiveSince: null }
      : null;
  if (isVeto) return pending;
  return now.getTime() - pending.firstSeenAt.getTime() > candidateTtlMs ? null : pending;
}

/** A DNS veto stays until DNS gives a conclusive answer. */
function isVetoed({ isVetoed, observation }: CandidateChange, earlier: PendingConfirmation | null): boolean {
  return isVetoed || (earlier?.waitingFor === 'no_delegation' && observation.delegation === 'inconclusive');
}

function newCandidate({ observation, status, evidence }: CandidateChange, { spacingMs }: ConfirmationPolicy) {
  const firstSeenAt = observation.observedAt;
  return { status, firstSeenAt, notBefore: after(firstSeenAt, spacingMs), dnsInconclusiveSince: null, evidence };
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

function pendingUntil(
  first: Omit<PendingConfirmation, 'waitingFor' | 'recheckAt'>,
  waitingFor: WaitingFor,
  recheckAt: Date,
  dnsInconclusiveSince: Date | null = null,
): ConfirmationResult {
  return { kind: 'pending', pending: { ...first, waitingFor, recheckAt, dnsInconclusiveSince } };
}

function confirmedBy(
  { observation, evidence }: CandidateChange,
  earlier: PendingConfirmation | null,
): ConfirmationResult {
  const firstSeenAt = earlier?.firstSeenAt ?? observation.observedAt;
  return { kind: 'confirmed', firstSeenAt, evidence: [...(earlier?.evidence ?? []), ...evidence] };
}

function earliest(one: Date, other: Date): Date {
  return one < other ? one : other;
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
