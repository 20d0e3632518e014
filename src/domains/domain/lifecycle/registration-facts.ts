import type { EppStatus } from './epp-status.js';
import type { ReleasePeriod } from './release-periods.js';

/**
 * The facts behind a status. `absent`: the registry has no record. `reserved`: unregistered, but not open to everyone.
 */
export interface RegistrationFacts {
  readonly outcome: 'found' | 'absent' | 'reserved';
  readonly statuses: readonly EppStatus[];
  readonly registeredAt: Date | null;
  /** The registry's own expiry date, never the registrar's or an estimate. null if the registry publishes none. */
  readonly expiresAt: Date | null;
  readonly publishesExpiry: boolean | null;
  readonly registrable: 'yes' | 'premium' | 'no' | 'unknown';
  /** The phase of the deletion, if it follows from a WHOIS text or the time since expiry, not from a status. */
  readonly quarantine: 'redemption' | 'pending_delete' | null;
  /** Set while only some people may register a deleted name: the id of the registry's release period. */
  readonly release?: ReleasePeriod['id'];
  /**
   * The start of the day on which, by its own answer, the registry will release the name. The holder may still renew.
   */
  readonly releasesAt?: Date;
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

/** Makes the facts of a deleted name in a release period, in which only some people may register it. */
export function inReleasePeriod(release: ReleasePeriod['id']): RegistrationFacts {
  return { ...NO_RECORD, outcome: 'reserved', registrable: 'unknown', quarantine: 'pending_delete', release };
}

/** Makes the facts of a registry's record. A missing member is unknown. */
export function found(record: Partial<Omit<RegistrationFacts, 'outcome' | 'registrable'>> = {}): RegistrationFacts {
  const publishesExpiry = record.publishesExpiry ?? (record.expiresAt ? true : null);
  return { ...NO_RECORD, ...record, publishesExpiry, outcome: 'found', registrable: 'no' };
}

export function areFactsEqual(one: RegistrationFacts, other: RegistrationFacts): boolean {
  return (
    one.outcome === other.outcome &&
    one.quarantine === other.quarantine &&
    one.registrable === other.registrable &&
    one.release === other.release &&
    one.publishesExpiry === other.publishesExpiry &&
    one.registeredAt?.getTime() === other.registeredAt?.getTime() &&
    one.expiresAt?.getTime() === other.expiresAt?.getTime() &&
    one.releasesAt?.getTime() === other.releasesAt?.getTime() &&
    areStatusesEqual(one.statuses, other.statuses)
  );
}

/** Compares the lists in their order first, because the order is usually the same. */
function areStatusesEqual(one: readonly EppStatus[], other: readonly EppStatus[]): boolean {
  if (one.length !== other.length) return false;
  return one.every((status, at) => status === other[at]) || [...one].sort().join() === [...other].sort().join();
}
