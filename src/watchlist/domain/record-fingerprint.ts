import { hash } from 'node:crypto';
import { areRecordValuesEqual, type RecordKind, type RecordValue } from '../../domains/language.js';

/** 96 bits: another list of name servers with the same fingerprint cannot be found. */
const FINGERPRINT_LENGTH = 16;

/**
 * A value of a record in 16 to 34 characters, with which a check compares what it finds. The values themselves are in
 * rows of their own, which a check without a change does not read.
 */
export function fingerprintOf(kind: RecordKind, value: RecordValue): string {
  if (kind === 'last_transfer' && typeof value === 'string') return value;
  if (typeof value === 'string' || !('iana_id' in value)) return digest(JSON.stringify(value));
  const id = value.iana_id === null ? [] : [`i${digest(value.iana_id)}`];
  const name = value.name === null ? [] : [`n${digest(toNameKey(value.name))}`];
  return [...id, ...name].join('');
}

/** Answers like {@link areRecordValuesEqual} for the values. */
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

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_LENGTH);
}
