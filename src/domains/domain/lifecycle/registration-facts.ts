import type { EppStatus } from './epp-status.js';
import type { ReleasePeriod } from './release-periods.js';

/**
 * What is known about a name at its registry: the facts from which every status is made. `absent` means that the
 * registry has no such name; `reserved` that it has none and will not register it for everybody.
 */
export interface RegistrationFacts {
  readonly outcome: 'found' | 'absent' | 'reserved';
  readonly statuses: readonly EppStatus[];
  readonly registeredAt: Date | null;
  /** The registry's expiry, never the registrar's and never a guess; null when it publishes none. */
  readonly expiresAt: Date | null;
  readonly publishesExpiry: boolean | null;
  readonly registrable: 'yes' | 'premium' | 'no' | 'unknown';
  /** A ccTLD's own word for a name on its way out, read by that registry's rule. */
  readonly quarantine: 'redemption' | 'pending_delete' | null;
  /** The period after its drop in which the name is; missing outside of one. */
  readonly release?: ReleasePeriod['id'];
}

const NO_RECORD = {
  statuses: [],
  registeredAt: null,
  expiresAt: null,
  publishesExpiry: null,
  quarantine: null,
} as const;

export const absent: RegistrationFacts = { ...NO_RECORD, outcome: 'absent', registrable: 'yes' };
export const premium: RegistrationFacts = { ...NO_RECORD, outcome: 'absent', registrable: 'premium' };
export const reserved: RegistrationFacts = { ...NO_RECORD, outcome: 'reserved', registrable: 'no' };

/** Dropped, and not yet everybody's to register: still on its way out, and never free. */
export function inReleasePeriod(release: ReleasePeriod['id']): RegistrationFacts {
  return { ...NO_RECORD, outcome: 'reserved', registrable: 'unknown', quarantine: 'pending_delete', release };
}

/** A record that the registry holds; what it does not say stays unknown. */
export function found(record: Partial<Omit<RegistrationFacts, 'outcome' | 'registrable'>> = {}): RegistrationFacts {
  const publishesExpiry = record.publishesExpiry ?? (record.expiresAt ? true : null);
  return { ...NO_RECORD, ...record, publishesExpiry, outcome: 'found', registrable: 'no' };
}

/** True when nothing that a status is made of differs. */
export function areFactsEqual(one: RegistrationFacts, other: RegistrationFacts): boolean {
  return (
    one.outcome === other.outcome &&
    one.quarantine === other.quarantine &&
    one.registrable === other.registrable &&
    one.release === other.release &&
    one.registeredAt?.getTime() === other.registeredAt?.getTime() &&
    one.expiresAt?.getTime() === other.expiresAt?.getTime() &&
    areStatusesEqual(one.statuses, other.statuses)
  );
}

/** In any order; mostly they come in the same one. */
function areStatusesEqual(one: readonly EppStatus[], other: readonly EppStatus[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((status, at) => status === other[at]) || [...one].sort().join() === [...other].sort().join();
}
