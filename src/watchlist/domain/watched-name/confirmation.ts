import {
  type EntryStatus,
  type Evidence,
  deriveLifecycle,
  type Observation,
  type RegistrationFacts,
} from '../../../domains/language.js';
import { after } from '../../../kernel/clock.js';

/** What still keeps a sighting from being believed. */
export type WaitingFor =
  /** The registry has to say it again. */
  | 'second_look'
  /** The parent zone still delegates the name: it has to stop doing so. */
  | 'no_delegation'
  /** The parent zone could not be heard. */
  | 'dns_answer'
  /** Too many names drop at once: their registry has to prove that it tells the truth. */
  | 'canary';

/** Something seen that one look is not enough for. */
export interface PendingConfirmation {
  readonly status: EntryStatus;
  readonly firstSeenAt: Date;
  /** The second look counts from here on. */
  readonly notBefore: Date;
  readonly waitingFor: WaitingFor;
  readonly recheckAt: Date;
  /** Since when an answer of DNS is all that is missing; null while more is. */
  readonly dnsInconclusiveSince: Date | null;
  /** What the first look rests on. */
  readonly evidence: readonly Evidence[];
}

/** Milliseconds, unless said otherwise. */
export interface ConfirmationPolicy {
  /** From the first look to the one that may confirm it. */
  readonly spacingMs: number;
  readonly recheckAfterVetoMs: number;
  readonly recheckAfterInconclusiveMs: number;
  /** How long an answer of DNS is waited for. */
  readonly dnsGraceMs: number;
  /** How long a first sighting counts. */
  readonly candidateTtlMs: number;
  /** Without a turn for so long, a name no longer flaps. */
  readonly flapWindowMs: number;
  /** Days; an expiry within it is no expiry of a name that was only just registered. */
  readonly defaultWindowDays: number;
}

export interface CandidateChange {
  readonly observation: Observation;
  readonly status: EntryStatus;
  readonly isVetoed: boolean;
  readonly evidence: readonly Evidence[];
}

/** Before it is known which status would follow. */
export type SeenChange = Omit<CandidateChange, 'status'>;

export type ConfirmationResult =
  | { readonly kind: 'pending'; readonly pending: PendingConfirmation }
  | { readonly kind: 'confirmed'; readonly firstSeenAt: Date; readonly evidence: readonly Evidence[] };

/** The status that would follow and that one look cannot bring about; null where one look is enough. */
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
 * Whether what a look saw may be believed. It takes two witnesses, two protocols in one look or two looks at least one
 * spacing apart, and no delegation in DNS. A delegation keeps it waiting for as long as it stands; a DNS that cannot be
 * heard does so for a while only, since a drop must not be missed for a broken resolver.
 */
export function confirm(
  candidate: CandidateChange,
  earlier: PendingConfirmation | null,
  policy: ConfirmationPolicy,
): ConfirmationResult {
  const { observation } = candidate;
  const { observedAt } = observation;
  const first = earlier ?? newCandidate(candidate, policy);
  const hasTwoWitnesses = observation.witnesses >= 2 || (earlier !== null && observedAt >= earlier.notBefore);
  if (isVetoed(candidate, earlier))
    return pendingUntil(first, 'no_delegation', after(observedAt, policy.recheckAfterVetoMs));
  if (!hasTwoWitnesses) return pendingUntil(first, 'second_look', first.notBefore);
  if (observation.delegation !== 'inconclusive') return confirmedBy(candidate, earlier);
  const inconclusiveSince = first.dnsInconclusiveSince ?? observedAt;
  const graceEndsAt = after(inconclusiveSince, policy.dnsGraceMs);
  if (observedAt >= graceEndsAt) return confirmedBy(candidate, earlier);
  return pendingUntil(
    first,
    'dns_answer',
    earliest(after(observedAt, policy.recheckAfterInconclusiveMs), graceEndsAt),
    inconclusiveSince,
  );
}

/** What two witnesses said, while nobody believes their registry. */
export function holdForCanary(status: EntryStatus, firstSeenAt: Date, evidence: readonly Evidence[], recheckAt: Date) {
  const pending = { status, firstSeenAt, notBefore: firstSeenAt, dnsInconclusiveSince: null, evidence, recheckAt };
  return { ...pending, waitingFor: 'canary' } as const satisfies PendingConfirmation;
}

/**
 * The first sighting that this one may confirm: of the same, and not too long ago. A veto that was heard keeps it: if it
 * lapsed, a silent DNS would let pass what a heard one forbade.
 */
export function stillValid(
  pending: PendingConfirmation | null,
  now: Date,
  { candidateTtlMs }: ConfirmationPolicy,
): PendingConfirmation | null {
  if (!pending || pending.waitingFor === 'no_delegation') return pending;
  return now.getTime() - pending.firstSeenAt.getTime() > candidateTtlMs ? null : pending;
}

/** A veto that was heard stands until DNS is heard again. */
function isVetoed({ isVetoed, observation }: CandidateChange, earlier: PendingConfirmation | null): boolean {
  return isVetoed || (earlier?.waitingFor === 'no_delegation' && observation.delegation === 'inconclusive');
}

function newCandidate({ observation, status, evidence }: CandidateChange, { spacingMs }: ConfirmationPolicy) {
  const firstSeenAt = observation.observedAt;
  return { status, firstSeenAt, notBefore: after(firstSeenAt, spacingMs), dnsInconclusiveSince: null, evidence };
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
  { observation: proof, evidence }: CandidateChange,
  earlier: PendingConfirmation | null,
): ConfirmationResult {
  const firstSeenAt = earlier?.firstSeenAt ?? proof.observedAt;
  return { kind: 'confirmed', firstSeenAt, evidence: [...(earlier?.evidence ?? []), ...evidence] };
}

function earliest(one: Date, other: Date): Date {
  return one < other ? one : other;
}
