import type { EppStatus } from '../lifecycle/epp-status.js';
import { normalizeEppStatus } from '../lifecycle/epp-status.js';
import { type DsRecord, formatDsRecord, normalizeDsRecord } from './ds-record.js';
import { normalizeHostName } from './host-name.js';
import { normalizeRegistrar, type Registrar } from './registrar.js';

/**
 * What a registry says about a registration beside its facts; no status depends on it, and it never holds a contact.
 * null is unknown: an answer that leaves a member out does not say that there is none. Lists are sorted and each
 * member is there once, so that order and case of an answer make no difference.
 */
export interface RegistrationRecord {
  /** Host names as lower-case A-labels without trailing dot; empty: none. */
  readonly nameservers: readonly string[] | null;
  readonly registrar: Registrar | null;
  readonly statuses: readonly EppStatus[] | null;
  /** Empty: the delegation is not signed. */
  readonly ds: readonly DsRecord[] | null;
  /** null: unknown or never. */
  readonly lastTransferAt: Date | null;
}

/** What an answer says, in any order and spelling; what is missing is unknown. */
export interface RecordParts {
  readonly nameservers?: readonly string[] | null;
  readonly registrar?: Partial<Registrar> | null;
  readonly statuses?: readonly string[] | null;
  readonly ds?: readonly DsRecord[] | null;
  readonly lastTransferAt?: Date | null;
}

export const UNKNOWN_RECORD: RegistrationRecord = {
  ...{ nameservers: null, registrar: null, statuses: null, ds: null, lastTransferAt: null },
};

/** Longer lists are not read: a part of one would depend on its order. */
export const MAX_RECORD_ITEMS = 64;
const MAX_STATUS_LENGTH = 100;

/** A list with one unreadable member is unknown as a whole, since a part of it would look like a change. */
export function toRegistrationRecord(parts: RecordParts): RegistrationRecord {
  const { nameservers, registrar, statuses, ds, lastTransferAt } = parts;
  return {
    nameservers: toHostNames(nameservers),
    registrar: registrar ? normalizeRegistrar(registrar.name ?? null, registrar.ianaId ?? null) : null,
    statuses: toKnownStatuses(toStatuses(statuses)),
    ds: toDsSet(ds),
    lastTransferAt: lastTransferAt ?? null,
  };
}

type Texts = readonly string[] | null | undefined;
type NormalizeAll = (texts: Texts) => readonly string[] | null;

/** One list is normalized once: records of one hoster share theirs. */
function toSetOf(normalize: (text: string) => string | null): NormalizeAll {
  const sets = new WeakMap<readonly string[], { readonly set: readonly string[] | null }>();
  return (texts) => {
    if (!texts) return null;
    const known = sets.get(texts);
    if (known) return known.set;
    const set = toSet(texts, normalize);
    sets.set(texts, { set });
    return set;
  };
}

function toSet(texts: readonly string[], normalize: (text: string) => string | null): readonly string[] | null {
  if (texts.length > MAX_RECORD_ITEMS) return null;
  const values = new Set<string>();
  for (const text of texts) {
    const value = normalize(text);
    if (value === null) return null;
    values.add(value);
  }
  return [...values].sort();
}

const toHostNames = toSetOf(normalizeHostName);
const toStatuses = toSetOf(normalizeStatus);

/** Every domain has a status (RFC 5731 §2.3), so a registry that reports none does not publish them. */
function toKnownStatuses(statuses: readonly string[] | null): readonly string[] | null {
  return statuses && statuses.length > 0 ? statuses : null;
}

function normalizeStatus(text: string): string | null {
  const status = text.length <= MAX_STATUS_LENGTH ? normalizeEppStatus(text) : '';
  return status === '' ? null : status;
}

function toDsSet(records: readonly DsRecord[] | null | undefined): readonly DsRecord[] | null {
  if (!records || records.length > MAX_RECORD_ITEMS) return null;
  const byText = new Map<string, DsRecord>();
  for (const record of records) {
    const normalized = normalizeDsRecord(record);
    if (!normalized) return null;
    byText.set(formatDsRecord(normalized), normalized);
  }
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, record]) => record);
}
