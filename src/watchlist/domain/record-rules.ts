import {
  type RecordKind,
  type Evidence,
  type EvidenceSource,
  getRecordValue,
  RECORD_KINDS,
  type RecordValue,
  type RegistrationRecord,
  areRecordValuesEqual,
} from '../../domains/language.js';
import { type Transition, type ConfirmationPolicy, nextTransition } from './confirmation.js';
import { after, isFromFuture } from '../../kernel/clock.js';
import { hash } from 'node:crypto';

/** 16 base64 characters are 96 bits, so nobody can construct another value with the same fingerprint. */
const FINGERPRINT_LENGTH = 16;

/** Makes a short text from a value. Lookups are compared by this text, so that the stored value need not be read. */
function fingerprintOf(kind: RecordKind, value: RecordValue): string {
  // Transfer times that differ by less than a day count as equal, but their digests would differ.
  if (kind === 'last_transfer' && typeof value === 'string') return value;
  if (typeof value === 'string' || !('iana_id' in value)) return digest(JSON.stringify(value));
  const id = value.iana_id === null ? [] : [`i${digest(value.iana_id)}`];
  const name = value.name === null ? [] : [`n${digest(toNameKey(value.name))}`];
  return [...id, ...name].join('');
}

/** Gives the same result as {@link areRecordValuesEqual} gives for the values. */
function areFingerprintsEqual(kind: RecordKind, one: string, other: string): boolean {
  if (one === other) return true;
  if (kind === 'last_transfer') return areRecordValuesEqual(kind, one, other);
  if (kind !== 'registrar') return false;
  const [first, second] = [registrarParts(one), registrarParts(other)];
  const [part] = ['i', 'n'].filter((tag) => first.has(tag) && second.has(tag));
  return part === undefined || first.get(part) === second.get(part);
}

function registrarParts(fingerprint: string): ReadonlyMap<string, string> {
  const size = FINGERPRINT_LENGTH + 1;
  const parts = [fingerprint.slice(0, size), fingerprint.slice(size)];
  return new Map(parts.filter((part) => part !== '').map((part) => [part.charAt(0), part.slice(1)]));
}

/** Keeps only letters and digits, because servers of one registry spell a registrar's name differently. */
function toNameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** A new value that differs from the known value and is not confirmed yet. */
interface RecordCandidate {
  readonly fingerprint: string;
  readonly firstSeenAt: Date;
  readonly notBefore: Date;
  readonly waitingFor: 'second_lookup' | 'parent_zone';
  /** The time of an extra check; null if the next routine check is soon enough. */
  readonly recheckAt: Date | null;
}

/** The state of one kind of value, such as the name servers. Stores a fingerprint in place of the value. */
export interface RecordKindState {
  readonly fingerprint: string;
  /** When a lookup last showed the value. null means that the latest lookup showed the value. */
  readonly lastSeenAt: Date | null;
  readonly candidate: RecordCandidate | null;
  readonly lastTransition: Transition<string> | null;
}

/** The state of a registration record, by kind of value. `{}` means that the name has no record. */
export type RecordState = { readonly [Kind in RecordKind]?: RecordKindState };

/** Returns when unconfirmed values need their next check; null if the routine check is soon enough. */
export function recordRecheckAt(state: RecordState | null): Date | null {
  let earliest: Date | null = null;
  for (const known of Object.values(state ?? {})) {
    const at = known.candidate?.recheckAt ?? null;
    if (at && (!earliest || at < earliest)) earliest = at;
  }
  return earliest;
}

export interface ParentZoneReport {
  readonly verdict: 'confirmed' | 'contradicted' | 'inconclusive';
  /** The answers of the zone's servers; empty if DNS checks are turned off. */
  readonly evidence: readonly Evidence[];
}

/** The parent zone's answers by kind. Changed name servers or DS records stay unconfirmed without an answer. */
export type ParentZoneReports = { readonly [Kind in RecordKind]?: ParentZoneReport };

interface SeenRecord {
  readonly record: RegistrationRecord;
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  /** How many protocols agree in this lookup. If two agree, a change needs no second lookup. */
  readonly witnesses: number;
  /** When the registration was last confirmed before this lookup. */
  readonly previousFoundAt: Date | null;
  readonly parentZone: ParentZoneReports;
}

/** A value to store. `first` means that no value was known, and `changed` means a confirmed change. */
export interface RecordUpdate {
  readonly kind: RecordKind;
  readonly type: 'first' | 'changed';
  readonly value: RecordValue;
  readonly firstSeenAt: Date;
  readonly previousSeenAt: Date | null;
  readonly zoneEvidence: readonly Evidence[];
}

interface AppliedRecord {
  /** The new state. If nothing has changed, this is the given object, not a copy. */
  readonly state: RecordState | null;
  readonly updates: RecordUpdate[];
}

export interface RecordPolicy extends Pick<
  ConfirmationPolicy,
  'recheckAfterDoubtMs' | 'candidateTtlMs' | 'flapWindowMs' | 'steadySince'
> {
  /** Returns how long a second lookup must wait to confirm a value. Values that change often wait longer. */
  readonly spacingMs: (last: RecordKindState['lastTransition']) => number;
}

export const NO_RECORD: RecordState = {};
/** The number of extra checks that ask the parent zone about a change. Afterwards, only routine checks ask. */
const PARENT_ZONE_RECHECKS = 12;
/** Changes of these kinds need confirmation by the parent zone, not only by the registry. */
const DELEGATION_KINDS = ['nameservers', 'ds'] as const satisfies readonly RecordKind[];
type DelegationKind = (typeof DELEGATION_KINDS)[number];

/** A changed value needs two lookups or two protocols; name servers and DS records also need the parent zone. */
export function applyRecord(state: RecordState | null, seen: SeenRecord, policy: RecordPolicy): AppliedRecord {
  const updates: RecordUpdate[] = [];
  const before = state ?? NO_RECORD;
  let next = before;
  for (const kind of RECORD_KINDS) {
    const value = getRecordValue(seen.record, kind);
    const known = next[kind];
    const changed = value === null ? unseen(known, seen) : applyValue(known, { kind, value, seen, updates, policy });
    if (changed !== known) next = { ...next, [kind]: changed };
  }
  return { state: next === before ? state : next, updates };
}

/** Returns the kinds whose changed value this lookup shows again. The parent zone must then confirm the value. */
export function findKindsForParentZone(
  state: RecordState | null,
  record: RegistrationRecord,
  observedAt: Date,
): DelegationKind[] {
  if (!state) return [];
  return DELEGATION_KINDS.filter((kind) => {
    const candidate = state[kind]?.candidate;
    if (!candidate || observedAt < candidate.notBefore) return false;
    const value = getRecordValue(record, kind);
    return value !== null && areFingerprintsEqual(kind, candidate.fingerprint, fingerprintOf(kind, value));
  });
}

interface SeenValue {
  readonly kind: RecordKind;
  readonly value: RecordValue;
  readonly seen: SeenRecord;
  readonly policy: RecordPolicy;
  readonly updates: RecordUpdate[];
}

function unseen(known: RecordKindState | undefined, { previousFoundAt }: SeenRecord): RecordKindState | undefined {
  return known && known.lastSeenAt === null ? { ...known, lastSeenAt: previousFoundAt } : known;
}

function applyValue(known: RecordKindState | undefined, given: SeenValue): RecordKindState {
  const { kind, value, seen, updates } = given;
  const fingerprint = fingerprintOf(kind, value);
  if (!known) {
    const { observedAt: firstSeenAt, previousFoundAt: previousSeenAt } = seen;
    updates.push({ kind, type: 'first', value, firstSeenAt, previousSeenAt, zoneEvidence: [] });
    return { fingerprint, lastSeenAt: null, candidate: null, lastTransition: null };
  }
  if (areFingerprintsEqual(kind, known.fingerprint, fingerprint)) return seenAgain(known);
  return applyCandidate(unseen(known, seen) ?? known, fingerprint, given);
}

function seenAgain(known: RecordKindState): RecordKindState {
  const isSteady = known.lastSeenAt === null && known.candidate === null;
  return isSteady ? known : { ...known, lastSeenAt: null, candidate: null };
}

function applyCandidate(known: RecordKindState, fingerprint: string, given: SeenValue): RecordKindState {
  const { kind, value, seen, policy, updates } = given;
  const { observedAt, parentZone, witnesses } = seen;
  const earlier = validCandidate(known.candidate, kind, fingerprint, observedAt, policy);
  const candidate = earlier ?? newCandidate(fingerprint, observedAt, policy.spacingMs(known.lastTransition));
  const hasTwoWitnesses = witnesses >= 2 || (earlier !== null && observedAt >= secondLookFrom(earlier, policy));
  if (!hasTwoWitnesses) return candidate === known.candidate ? known : { ...known, candidate };
  const isInParentZone = seen.source === 'sandbox' || parentZone[kind]?.verdict === 'confirmed';
  if (DELEGATION_KINDS.some((one) => one === kind) && !isInParentZone)
    return { ...known, candidate: waitForParentZone(candidate, observedAt, policy) };
  const { firstSeenAt } = candidate;
  const zoneEvidence = parentZone[kind]?.evidence ?? [];
  updates.push({ kind, type: 'changed', value, firstSeenAt, previousSeenAt: known.lastSeenAt, zoneEvidence });
  const turn = { from: known.fingerprint, to: fingerprint, at: observedAt };
  const lastTransition = nextTransition(known.lastTransition, turn, policy.flapWindowMs);
  return { fingerprint, lastSeenAt: null, candidate: null, lastTransition };
}

function newCandidate(fingerprint: string, firstSeenAt: Date, spacingMs: number): RecordCandidate {
  const notBefore = after(firstSeenAt, spacingMs);
  return { fingerprint, firstSeenAt, notBefore, waitingFor: 'second_lookup', recheckAt: notBefore };
}

/** Restarts the waiting time after the clock jumped ahead, because less time has passed than the clock says. */
function secondLookFrom({ firstSeenAt, notBefore }: RecordCandidate, { steadySince }: RecordPolicy): Date {
  if (!steadySince || firstSeenAt >= steadySince) return notBefore;
  return after(steadySince, notBefore.getTime() - firstSeenAt.getTime());
}

/** A candidate (unconfirmed value) that lacks only the answer of the parent zone never expires. */
function validCandidate(
  candidate: RecordCandidate | null,
  kind: RecordKind,
  fingerprint: string,
  observedAt: Date,
  { candidateTtlMs }: RecordPolicy,
): RecordCandidate | null {
  if (!candidate || !areFingerprintsEqual(kind, candidate.fingerprint, fingerprint)) return null;
  if (isFromFuture(candidate.firstSeenAt, observedAt)) return null;
  if (candidate.waitingFor === 'parent_zone') return candidate;
  return observedAt.getTime() - candidate.firstSeenAt.getTime() > candidateTtlMs ? null : candidate;
}

function waitForParentZone(
  candidate: RecordCandidate,
  observedAt: Date,
  { recheckAfterDoubtMs }: RecordPolicy,
): RecordCandidate {
  const waitedMs = observedAt.getTime() - candidate.firstSeenAt.getTime();
  const isRecent = waitedMs < PARENT_ZONE_RECHECKS * recheckAfterDoubtMs;
  return {
    ...candidate,
    waitingFor: 'parent_zone',
    recheckAt: isRecent ? after(observedAt, recheckAfterDoubtMs) : null,
  };
}
