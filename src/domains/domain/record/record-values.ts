import { DAY } from '../../../kernel/clock.js';
import { areRegistrarsEqual, type DsRecord, type RegistrationRecord, UNKNOWN_RECORD } from './registration-record.js';
import type { Evidence } from '../lookup/lookup-result.js';

export const RECORD_KINDS = ['nameservers', 'registrar', 'statuses', 'ds', 'last_transfer'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Members of a record as plain JSON, for storage and events. */
export interface RegistrarValue {
  readonly name: string | null;
  readonly iana_id: string | null;
}
export interface DsValue {
  readonly key_tag: number;
  readonly algorithm: number;
  readonly digest_type: number;
  readonly digest: string;
}
/** Name servers and statuses are lists of texts; the last transfer is a time in ISO 8601. */
export type RecordValue = readonly string[] | RegistrarValue | readonly DsValue[] | string;

export interface RecordChange {
  readonly kind: RecordKind;
  readonly before: RecordValue;
  readonly after: RecordValue;
}

export function getRecordValue(record: RegistrationRecord, kind: RecordKind): RecordValue | null {
  switch (kind) {
    case 'nameservers':
    case 'statuses':
      return record[kind];
    case 'registrar':
      return record.registrar && { name: record.registrar.name, iana_id: record.registrar.ianaId };
    case 'ds':
      return record.ds?.map(toDsValue) ?? null;
    case 'last_transfer':
      return record.lastTransferAt?.toISOString() ?? null;
  }
}

export function areRecordValuesEqual(kind: RecordKind, one: RecordValue, other: RecordValue): boolean {
  if (kind === 'registrar' && isRegistrar(one) && isRegistrar(other))
    return areRegistrarsEqual({ ...one, ianaId: one.iana_id }, { ...other, ianaId: other.iana_id });
  if (kind === 'last_transfer' && typeof one === 'string' && typeof other === 'string')
    // Some servers publish only the date, so times less than a day apart are equal.
    return Math.abs(Date.parse(one) - Date.parse(other)) < DAY;
  return JSON.stringify(one) === JSON.stringify(other);
}

export function toDsValue({ keyTag, algorithm, digestType, digest }: DsRecord): DsValue {
  return { key_tag: keyTag, algorithm, digest_type: digestType, digest };
}

function isRegistrar(value: RecordValue): value is RegistrarValue {
  return typeof value === 'object' && 'iana_id' in value;
}

/** The data that the servers of the zone above publish about a name. */
export interface ParentZoneAnswer {
  /** Empty if the name is not delegated. null if no server gave a reliable answer. */
  readonly nameservers: readonly string[] | null;
  /** Empty if the delegation is not signed. null if no server gave a reliable answer. */
  readonly ds: readonly DsRecord[] | null;
  readonly evidence: readonly Evidence[];
}

/**
 * Whether the parent zone publishes the registry's values. Names on hold get `contradicted`, because zones leave them
 * out.
 */
export type ParentZoneVerdict = 'confirmed' | 'contradicted' | 'inconclusive';

export function confirmInParentZone(
  kind: 'nameservers' | 'ds',
  value: RecordValue,
  { nameservers, ds }: ParentZoneAnswer,
): ParentZoneVerdict {
  const published = getRecordValue({ ...UNKNOWN_RECORD, nameservers, ds }, kind);
  if (published === null) return 'inconclusive';
  return areRecordValuesEqual(kind, value, published) ? 'confirmed' : 'contradicted';
}

/** The OpenAPI schema of a record's value, which depends on the kind of the value. */
export const RECORD_VALUE_SCHEMA = {
  anyOf: [
    { type: 'array', items: { type: 'string' }, description: '`nameservers`, `statuses`' },
    {
      type: 'object',
      description: '`registrar`',
      properties: { name: { type: 'string', nullable: true }, iana_id: { type: 'string', nullable: true } },
      required: ['name', 'iana_id'],
      additionalProperties: false,
    },
    {
      type: 'array',
      description: '`ds`',
      items: {
        type: 'object',
        properties: {
          key_tag: { type: 'integer' },
          algorithm: { type: 'integer' },
          digest_type: { type: 'integer' },
          digest: { type: 'string' },
        },
        required: ['key_tag', 'algorithm', 'digest_type', 'digest'],
        additionalProperties: false,
      },
    },
    { type: 'string', format: 'date-time', description: '`last_transfer`' },
  ],
};
