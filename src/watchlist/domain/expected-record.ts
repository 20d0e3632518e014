import { isTransferLocked, type RegistrationRecord } from '../../domains/language.js';

/** What the watcher expects of the registration record; a missing member may be anything. */
export interface ExpectedRecord {
  /** Host names in A-labels, sorted; empty: none. */
  readonly nameservers?: readonly string[];
  /** The IANA id of the registrar. */
  readonly registrar_id?: string;
  /** Whether transfers are prohibited. */
  readonly locked?: boolean;
}

export const EXPECTED_MEMBERS = ['nameservers', 'registrar_id', 'locked'] as const;
export type ExpectedMember = (typeof EXPECTED_MEMBERS)[number];

/** The members that differ from the record. What the registry does not say is no difference. */
export function findDrift(expected: ExpectedRecord | null, record: RegistrationRecord | null): ExpectedMember[] {
  if (!expected || !record) return [];
  const seen = {
    nameservers: record.nameservers,
    registrar_id: record.registrar?.ianaId ?? null,
    locked: isTransferLocked(record.statuses),
  };
  return EXPECTED_MEMBERS.filter(
    (member) =>
      expected[member] !== undefined &&
      seen[member] !== null &&
      JSON.stringify(expected[member]) !== JSON.stringify(seen[member]),
  );
}
