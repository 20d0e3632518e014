import { type EppStatus, normalizeEppStatus, isEppStatus } from '../lifecycle/epp-status.js';
import { toALabels } from '../name/domain-name.js';

/**
 * Details of a registration, without contacts. They do not decide a name's status. null means unknown. Lists are
 * sorted, without duplicates.
 */
export interface RegistrationRecord {
  /** Host names as lower-case A-labels without trailing dot. Empty if there are none. */
  readonly nameservers: readonly string[] | null;
  readonly registrar: Registrar | null;
  readonly statuses: readonly EppStatus[] | null;
  /** Empty if the delegation is not signed. */
  readonly ds: readonly DsRecord[] | null;
  /** null if unknown or never transferred. */
  readonly lastTransferAt: Date | null;
}

/** The details as the registry's answer has them, in any order and spelling. A missing member is unknown. */
export interface RecordParts {
  readonly nameservers?: readonly string[] | null;
  readonly registrar?: Partial<Registrar> | null;
  readonly statuses?: readonly string[] | null;
  readonly ds?: readonly DsRecord[] | null;
  readonly lastTransferAt?: Date | null;
}

export const UNKNOWN_RECORD: RegistrationRecord = {
  nameservers: null,
  registrar: null,
  statuses: null,
  ds: null,
  lastTransferAt: null,
};

/** Longer lists count as unknown. If a list were cut, its next copy in another order would look like a change. */
export const MAX_RECORD_ITEMS = 64;
const MAX_STATUS_LENGTH = 100;

/**
 * Normalizes an answer. A list with an unreadable item becomes unknown, because leaving the item out would look like a
 * change.
 */
export function toRegistrationRecord(parts: RecordParts): RegistrationRecord {
  const { nameservers, registrar, statuses, ds, lastTransferAt } = parts;
  return {
    nameservers: toSet(nameservers, normalizeHostName),
    registrar: registrar ? normalizeRegistrar(registrar.name ?? null, registrar.ianaId ?? null) : null,
    statuses: toKnownStatuses(toSet(statuses, normalizeStatus)),
    ds: toDsSet(ds),
    lastTransferAt: lastTransferAt ?? null,
  };
}

function toSet(
  texts: readonly string[] | null | undefined,
  normalize: (text: string) => string | null,
): readonly string[] | null {
  if (!texts || texts.length > MAX_RECORD_ITEMS) return null;
  const values = new Set<string>();
  for (const text of texts) {
    const value = normalize(text);
    if (value === null) return null;
    values.add(value);
  }
  return [...values].sort();
}

/** Returns null (unknown) for an empty list, because every domain has a status (RFC 5731 §2.3). */
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

const TRANSFER_LOCKS = ['client transfer prohibited', 'server transfer prohibited'];

/** Whether transfers of the name are prohibited; null (unknown) if the list has no EPP status. */
export function isTransferLocked(statuses: readonly EppStatus[] | null): boolean | null {
  if (statuses?.some((status) => TRANSFER_LOCKS.includes(status))) return true;
  return statuses?.some(isEppStatus) ? false : null;
}

/** The sponsoring registrar, as the registry names it. At least one of name and id is known. */
export interface Registrar {
  readonly name: string | null;
  /** IANA's registrar id, in digits. Registries of country codes have ids of their own, which are not kept. */
  readonly ianaId: string | null;
}

/** The longest name of an organization in EPP (RFC 5733 §4). */
const MAX_NAME_LENGTH = 255;

function normalizeRegistrar(name: string | null, ianaId: string | null): Registrar | null {
  const known = {
    name: name === null ? null : normalizeName(name),
    ianaId: ianaId === null ? null : normalizeId(ianaId),
  };
  return known.name === null && known.ianaId === null ? null : known;
}

/** A registrar with only a name equals a registrar with only an id, because no difference is known. */
export function areRegistrarsEqual(one: Registrar, other: Registrar): boolean {
  if (one.ianaId !== null && other.ianaId !== null) return one.ianaId === other.ianaId;
  return one.name === null || other.name === null || toNameKey(one.name) === toNameKey(other.name);
}

function normalizeName(text: string): string | null {
  if (text.length > 4 * MAX_NAME_LENGTH) return null;
  const name = text.replace(/\s+/g, ' ').trim();
  return name.length <= MAX_NAME_LENGTH && /[\p{L}\p{N}]/u.test(name) && !/\p{C}/u.test(name) ? name : null;
}

function normalizeId(text: string): string | null {
  return /^\s*0*(\d{1,7})\s*$/.exec(text)?.[1] ?? null;
}

/** Gives `MarkMonitor, Inc.` and `MARKMONITOR INC` the same key. */
function toNameKey(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

const MAX_HOST_NAME_LENGTH = 253;
/** Allows underscores. RFC 1123 forbids them in host names, but the names of some name servers have them. */
const HOST_NAME = /^(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)+(?!-)[a-z0-9-]{2,63}(?<!-)$/;
const ADDRESS = /\.\d+$/;

/** Returns the host name as lower-case A-labels without trailing dot, or null if the text is not a host name. */
export function normalizeHostName(text: string): string | null {
  if (text.length > MAX_HOST_NAME_LENGTH + 1) return null;
  const name = /^[\w.-]+$/.test(text) && !/xn--/i.test(text) ? text.toLowerCase() : toALabels(text);
  const host = name?.endsWith('.') ? name.slice(0, -1) : name;
  if (!host || host.length > MAX_HOST_NAME_LENGTH || ADDRESS.test(host)) return null;
  return HOST_NAME.test(host) ? host : null;
}

/** A delegation signer record (RFC 4034 §5). The digest has upper-case hexadecimal digits. */
export interface DsRecord {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: string;
}

/** The number of hexadecimal digits by digest type: SHA-1, SHA-256, GOST and SHA-384 (RFC 4034, 4509, 5933, 6605). */
const DIGITS_BY_DIGEST_TYPE: ReadonlyMap<number, number> = new Map([
  [1, 40],
  [2, 64],
  [3, 64],
  [4, 96],
]);
const MAX_DIGEST_DIGITS = 128;

/** Returns null if a number is out of range, or if the digest is not complete. */
export function normalizeDsRecord({ keyTag, algorithm, digestType, digest }: DsRecord): DsRecord | null {
  if (!isInteger(keyTag, 65_535) || !isInteger(algorithm, 255) || !isInteger(digestType, 255)) return null;
  const digits = digest.length > 2 * MAX_DIGEST_DIGITS ? '' : digest.replace(/\s+/g, '').toUpperCase();
  const expected = DIGITS_BY_DIGEST_TYPE.get(digestType);
  const isComplete = expected ? digits.length === expected : digits.length > 0 && digits.length <= MAX_DIGEST_DIGITS;
  return isComplete && /^(?:[\dA-F]{2})+$/.test(digits) ? { keyTag, algorithm, digestType, digest: digits } : null;
}

/** Formats the record as in zone files: `12345 13 2 49FD…`. */
function formatDsRecord({ keyTag, algorithm, digestType, digest }: DsRecord): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}

/** Parses a record as in zone files, where the digest may contain spaces. Returns null for any other text. */
export function parseDsRecord(text: string): DsRecord | null {
  const [, keyTag, algorithm, digestType, digest = ''] =
    /^\s*(\d{1,5})\s+(\d{1,3})\s+(\d{1,3})\s+([\da-f][\da-f\s]{0,255})$/i.exec(text) ?? [];
  return normalizeDsRecord({
    keyTag: Number(keyTag),
    algorithm: Number(algorithm),
    digestType: Number(digestType),
    digest,
  });
}

function isInteger(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}
