import { isDate } from 'node:util/types';
import type { DsRecord } from '../domain/record/ds-record.js';
import {
  MAX_RECORD_ITEMS,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../domain/record/registration-record.js';
import { toPrintable } from '../answer-text/printable.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Copies what an extension's source says beside the facts. No status depends on it, so a member that has not the
 * promised shape is unknown, and the facts beside it count.
 */
export function validateRecord(record: unknown): RegistrationRecord {
  const { nameservers, registrar, statuses, ds, lastTransferAt } = asFields(record);
  const { name, ianaId } = asFields(registrar);
  return toRegistrationRecord({
    nameservers: asList(nameservers, asText),
    registrar: { name: asText(name), ianaId: asText(ianaId) },
    statuses: asList(statuses, asText),
    ds: asList(ds, asDsRecord),
    lastTransferAt: isDate(lastTransferAt) && !Number.isNaN(lastTransferAt.getTime()) ? new Date(lastTransferAt) : null,
  });
}

function asList<T>(value: unknown, toItem: (item: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value) || value.length > MAX_RECORD_ITEMS) return null;
  const items = value.map(toItem);
  return items.every((item) => item !== null) ? items : null;
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? toPrintable(value.slice(0, MAX_TEXT_LENGTH)) : null;
}

/** Longer than any name or status that is kept. */
const MAX_TEXT_LENGTH = 1_000;

function asDsRecord(value: unknown): DsRecord | null {
  const { keyTag, algorithm, digestType, digest } = asFields(value);
  if (typeof digest !== 'string') return null;
  return { keyTag: asNumber(keyTag), algorithm: asNumber(algorithm), digestType: asNumber(digestType), digest };
}

function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

function asFields(value: unknown): Fields {
  return Object(value) as Fields;
}
