import { isTransferLocked, type RegistrationRecord, type DomainName } from '../../domains/language.js';

/**
 * Why the watcher follows the name. It selects the wording of messages and whether reminders are sent, never a status.
 */
export const INTENTS = ['own', 'acquire', 'monitor'] as const;
export type Intent = (typeof INTENTS)[number];

/** A date that the watcher gave, at the start of its day in UTC. */
export interface Renewal {
  /** `YYYY-MM-DD` */
  readonly on: string;
  readonly note: string | null;
}

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

export const MAX_TAGS = 20;

/** What a watcher may choose. */
export interface EntrySettings {
  readonly intervalMinutes: number;
  readonly expiringWindowDays: number;
  readonly paused: boolean;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly intent: Intent;
  /** Days before the expiry, descending; null: the default ones. */
  readonly remindDays: readonly number[] | null;
  /** When the watcher has to renew, for a name whose registry publishes no expiry. It moves no status. */
  readonly renewal: Renewal | null;
  /** What the registration record should be; null: anything. It moves no status. */
  readonly expected: ExpectedRecord | null;
}

export interface NewWatch extends EntrySettings {
  readonly accountId: string;
  readonly domain: DomainName;
}
