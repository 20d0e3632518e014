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

/** 96 bits: another list of name servers with the same fingerprint cannot be found. */
const FINGERPRINT_LENGTH = 16;

/**
 * A value of a record in 16 to 34 characters, with which a check compares what it finds. The values themselves are in
 * rows of their own, which a check without a change does not read.
 */
function fingerprintOf(kind: RecordKind, value: RecordValue): string {
  if (kind === 'last_transfer' && typeof value === 'string') return value;
  if (typeof value === 'string' || !('iana_id' in value)) return digest(JSON.stringify(value));
  const id = value.iana_id === null ? [] : [`i${digest(value.iana_id)}`];
  const name = value.name === null ? [] : [`n${digest(toNameKey(value.name))}`];
  return [...id, ...name].join('');
}

/** Answers like {@link areRecordValuesEqual} for the values. */
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

/** The letters and digits of a name: servers of one registry spell it differently. */
function toNameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}

/** A different value that one lookup is not enough for. */
interface RecordCandidate {
  readonly fingerprint: string;
  readonly firstSeenAt: Date;
  /** A lookup confirms the change from this time on. */
  readonly notBefore: Date;
  readonly waitingFor: 'second_lookup' | 'parent_zone';
  /** null: with the next routine check. */
  readonly recheckAt: Date | null;
}

/** The state of one kind of value, without the value. */
export interface RecordKindState {
  readonly fingerprint: string;
  /** The last lookup that showed the value, if later ones did not; null: the last one did. */
  readonly lastSeenAt: Date | null;
  readonly candidate: RecordCandidate | null;
  readonly lastTransition: Transition<string> | null;
}

/**
 * The state of a name's registration record. No status depends on it. Empty: the name was looked up and had none; null:
 * no lookup has shown any since somebody watches the name.
 */
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

export interface ParentZoneReport {
  readonly verdict: 'confirmed' | 'contradicted' | 'inconclusive';
  /** The answers of the zone's servers; empty where DNS checks are turned off. */
  readonly evidence: readonly Evidence[];
}

/** The parent zone's reports about a change of delegation, by kind; missing: it was not asked. */
export type ParentZoneReports = { readonly [Kind in RecordKind]?: ParentZoneReport };

interface SeenRecord {
  readonly record: RegistrationRecord;
  readonly source: EvidenceSource;
  readonly observedAt: Date;
  /** How many protocols agree; two confirm a change in one lookup. */
  readonly witnesses: number;
  /** The last believed lookup before that found a registration; any other lookup showed no value. */
  readonly previousFoundAt: Date | null;
  readonly parentZone: ParentZoneReports;
}

/** A value to be stored. `first`: nothing was known. `changed`: confirmed, and watchers are notified. */
export interface RecordUpdate {
  readonly kind: RecordKind;
  readonly type: 'first' | 'changed';
  readonly value: RecordValue;
  readonly firstSeenAt: Date;
  /** The last lookup that showed the former value. */
  readonly previousSeenAt: Date | null;
  /** The answers of the parent zone, beside the evidence of the lookup. */
  readonly zoneEvidence: readonly Evidence[];
}

interface AppliedRecord {
  /** The same object when nothing has changed. */
  readonly state: RecordState | null;
  readonly updates: RecordUpdate[];
}

export interface RecordPolicy extends Pick<
  ConfirmationPolicy,
  'recheckAfterDoubtMs' | 'candidateTtlMs' | 'flapWindowMs' | 'steadySince'
> {
  /** Returns how long after the first lookup one may confirm it: longer for a value that flaps. */
  readonly spacingMs: (last: RecordKindState['lastTransition']) => number;
}

export const NO_RECORD: RecordState = {};
/** While the parent zone does not confirm, it is asked so often in short intervals, and with routine checks after that. */
const PARENT_ZONE_RECHECKS = 12;
/** These are confirmed by the parent zone, beside the registry. */
const DELEGATION_KINDS = ['nameservers', 'ds'] as const satisfies readonly RecordKind[];
type DelegationKind = (typeof DELEGATION_KINDS)[number];

/**
 * Compares a lookup with the known values. The first value is shown at once, and later values are compared with the
 * shown one. A different value is a candidate first. A second lookup with the same value makes it a change, for name
 * servers and DS only together with the parent zone. A value that the answer leaves out changes nothing. An answer with
 * the known value ends the candidate.
 */
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

/** The kinds whose candidates only the parent zone can confirm, if this lookup is their second one. */
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
  if (isDelegationKind(kind) && !isInParentZone)
    return { ...known, candidate: waitForParentZone(candidate, observedAt, policy) };
  const { firstSeenAt } = candidate;
  const zoneEvidence = parentZone[kind]?.evidence ?? [];
  updates.push({ kind, type: 'changed', value, firstSeenAt, previousSeenAt: known.lastSeenAt, zoneEvidence });
  const turn = { from: known.fingerprint, to: fingerprint, at: observedAt };
  const lastTransition = nextTransition(known.lastTransition, turn, policy.flapWindowMs);
  return { fingerprint, lastSeenAt: null, candidate: null, lastTransition };
}

function isDelegationKind(kind: RecordKind): boolean {
  return kind === 'nameservers' || kind === 'ds';
}

function newCandidate(fingerprint: string, firstSeenAt: Date, spacingMs: number): RecordCandidate {
  const notBefore = after(firstSeenAt, spacingMs);
  return { fingerprint, firstSeenAt, notBefore, waitingFor: 'second_lookup', recheckAt: notBefore };
}

/** A clock that was put forward shows more time between two lookups than has passed. */
function secondLookFrom({ firstSeenAt, notBefore }: RecordCandidate, { steadySince }: RecordPolicy): Date {
  if (!steadySince || firstSeenAt >= steadySince) return notBefore;
  return after(steadySince, notBefore.getTime() - firstSeenAt.getTime());
}

/** A candidate that waits for the parent zone stays valid: zones are published hours after the registry's answer. */
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

/** Asked again soon while the zone may be about to change, and with the routine checks later. */
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
