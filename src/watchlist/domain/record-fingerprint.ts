import { hash } from 'node:crypto';
import { areRecordValuesEqual, type RecordKind, type RecordValue } from '../../domains/language.js';

/** 96 bits: another list of name servers with the same fingerprint cannot be found. */
const FINGERPRINT_LENGTH = 16;
/** Short texts are remembered: registrars, statuses and the servers of large hosts are those of thousands of names. */
const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_LENGTH = 256;
const digestsByText = new Map<string, string>();
const digestsByName = new Map<string, string>();
const digestsByList = new WeakMap<object, string>();

/**
 * A value of a record in 16 to 34 characters, with which a check compares what it finds. The values themselves are in
 * rows of their own, which a check without a change does not read.
 */
export function fingerprintOf(kind: RecordKind, value: RecordValue): string {
  if (kind === 'last_transfer' && typeof value === 'string') return value;
  if (typeof value === 'string') return digest(JSON.stringify(value));
  if (!('iana_id' in value)) return digestOfList(value);
  const id = value.iana_id === null ? [] : [`i${digest(value.iana_id)}`];
  const name = value.name === null ? [] : [`n${digestOfName(value.name)}`];
  return [...id, ...name].join('');
}

/** Like {@link areRecordValuesEqual} of the values. */
export function areFingerprintsEqual(kind: RecordKind, one: string, other: string): boolean {
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

/** Records of one hoster share their lists. */
function digestOfList(list: object): string {
  let known = digestsByList.get(list);
  if (known === undefined) digestsByList.set(list, (known = digest(JSON.stringify(list))));
  return known;
}

function digestOfName(name: string): string {
  return remember(digestsByName, name, () => digest(toNameKey(name)));
}

function digest(text: string): string {
  return remember(digestsByText, text, () => hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH));
}

/** Most of the cost of a comparison is the hash. */
function remember(digests: Map<string, string>, text: string, compute: () => string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const computed = compute();
  if (text.length > MAX_REMEMBERED_LENGTH) return computed;
  if (digests.size >= MAX_REMEMBERED) digests.clear();
  digests.set(text, computed);
  return computed;
}
