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
  readonly lookAt: Date;
  /** Since when an answer of DNS is all that is missing; null while more is. */
  readonly unheardSince: Date | null;
  /** What the first look rests on. */
  readonly evidence: readonly Evidence[];
}

/** Milliseconds, unless said otherwise. */
export interface ConfirmationPolicy {
  /** From the first look to the one that may confirm it. */
  readonly spacing: number;
  readonly afterVeto: number;
  readonly afterUnheard: number;
  /** How long an answer of DNS is waited for. */
  readonly patience: number;
  /** How long a first sighting counts. */
  readonly kept: number;
  /** Without a turn for so long, a name no longer flaps. */
  readonly calm: number;
  /** Days; an expiry within it is no expiry of a name that was only just registered. */
  readonly usualWindowDays: number;
}

export interface CandidateChange {
  readonly proof: Observation;
  readonly status: EntryStatus;
  readonly isVetoed: boolean;
  readonly evidence: readonly Evidence[];
}

export type ConfirmationResult =
  | { readonly kind: 'pending'; readonly pending: PendingConfirmation }
  | { readonly kind: 'confirmed'; readonly firstSeenAt: Date; readonly evidence: readonly Evidence[] };

/** The status that would follow and that one look cannot bring about; null where one look is enough. */
export function statusToConfirm(
  known: RegistrationFacts | null,
  observed: RegistrationFacts,
  { usualWindowDays }: ConfirmationPolicy,
  now: Date,
): EntryStatus | null {
  const isAbsent = known?.outcome === 'absent';
  if (observed.outcome === 'absent') return isAbsent ? null : 'available';
  const { status } = deriveLifecycle(observed, usualWindowDays, now);
  return isAbsent && status !== 'registered' ? status : null;
}

/**
 * Whether what a look saw may be believed. It takes two witnesses, two protocols in one look or two looks at least one
 * spacing apart, and no delegation in DNS. A delegation keeps it waiting for as long as it stands; a DNS that cannot be
 * heard does so for a while only, since a drop must not be missed for a broken resolver.
 */
export function confirm(
  seen: CandidateChange,
  known: PendingConfirmation | null,
  pace: ConfirmationPolicy,
): ConfirmationResult {
  const { proof } = seen;
  const { observedAt } = proof;
  const first = known ?? firstSeen(seen, pace);
  const isTwice = proof.witnesses >= 2 || (known !== null && observedAt >= known.notBefore);
  if (isVetoed(seen, known)) return wait(first, 'no_delegation', after(observedAt, pace.afterVeto));
  if (!isTwice) return wait(first, 'second_look', first.notBefore);
  if (proof.delegation !== 'inconclusive') return confirmed(seen, known);
  const since = first.unheardSince ?? observedAt;
  const patienceEnds = after(since, pace.patience);
  if (observedAt >= patienceEnds) return confirmed(seen, known);
  return wait(first, 'dns_answer', earlier(after(observedAt, pace.afterUnheard), patienceEnds), since);
}

/** What two witnesses said, while nobody believes their registry. */
export function holdForCanary(seen: CandidateChange, firstSeenAt: Date, evidence: readonly Evidence[], lookAt: Date) {
  const { status } = seen;
  const pending = { status, firstSeenAt, notBefore: firstSeenAt, unheardSince: null, evidence, lookAt };
  return { ...pending, waitingFor: 'canary' } as const satisfies PendingConfirmation;
}

/**
 * The first sighting that this one may confirm: of the same, and not too long ago. A veto that was heard keeps it: if it
 * lapsed, a silent DNS would let pass what a heard one forbade.
 */
export function stillValid(
  pending: PendingConfirmation | null,
  now: Date,
  { kept }: ConfirmationPolicy,
): PendingConfirmation | null {
  if (!pending || pending.waitingFor === 'no_delegation') return pending;
  return now.getTime() - pending.firstSeenAt.getTime() > kept ? null : pending;
}

/** A veto that was heard stands until DNS is heard again. */
function isVetoed({ isVetoed, proof }: CandidateChange, known: PendingConfirmation | null): boolean {
  return isVetoed || (known?.waitingFor === 'no_delegation' && proof.delegation === 'inconclusive');
}

function firstSeen({ proof, status, evidence }: CandidateChange, { spacing }: ConfirmationPolicy) {
  const firstSeenAt = proof.observedAt;
  return { status, firstSeenAt, notBefore: after(firstSeenAt, spacing), unheardSince: null, evidence };
}

function wait(
  first: Omit<PendingConfirmation, 'waitingFor' | 'lookAt'>,
  waitingFor: WaitingFor,
  lookAt: Date,
  unheardSince: Date | null = null,
): ConfirmationResult {
  return { kind: 'pending', pending: { ...first, waitingFor, lookAt, unheardSince } };
}

function confirmed({ proof, evidence }: CandidateChange, known: PendingConfirmation | null): ConfirmationResult {
  const firstSeenAt = known?.firstSeenAt ?? proof.observedAt;
  return { kind: 'confirmed', firstSeenAt, evidence: [...(known?.evidence ?? []), ...evidence] };
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
